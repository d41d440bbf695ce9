// /v1/recovery: which NIs, and which peer NIs, are not well and are pinged. Source:
// spec/cli-lnetctl.md 4.10, spec/multirail.md 7.
#include <nlohmann/json.hpp>

#include "control/handlers.h"
#include "control/reply.h"

namespace ulnet::node::control {

namespace {

/// {"nid-0": ..., "nid-1": ...}
Json queue_tree(const std::vector<Nid>& nids) {
  Json tree = Json::object();
  for (const Nid& nid : nids) tree["nid-" + std::to_string(tree.size())] = nid.to_string();
  return tree;
}

}  // namespace

Reply show_recovery(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree({{"Local NI recovery", queue_tree(node->in_recovery(true))},
                     {"Peer NI recovery", queue_tree(node->in_recovery(false))}});
}

}  // namespace ulnet::node::control
