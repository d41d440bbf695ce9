// /v1/fault: rules by which the node drops, fails or delays messages on purpose. Source:
// spec/cli-lnetctl.md 3.15, 4.9, spec/multirail.md 11.
#include <nlohmann/json.hpp>

#include "admin/conf/fault_trees.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

Reply show_faults(Context&, const NodePtr& node, const Request&) {
  const auto shown = core::ask(*node, core::call::FaultShow{});
  return shown ? reply_tree(conf::fault_tree(shown->rows)) : reply_error(shown.error());
}

}  // namespace ulnet::node::control
