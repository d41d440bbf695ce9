// /v1/route, /v1/routing: nouns of lnetctl of which this version has no items, so the answers are
// empty. Source: spec/cli-lnetctl.md 4.3, 4.4.
#include <nlohmann/json.hpp>

#include "control/handlers.h"
#include "control/reply.h"

namespace ulnet::node::control {

namespace {

Reply only(const Context& context, const Json& tree) {
  return context.slot.node() == nullptr ? reply_not_configured() : reply_tree(tree);
}

}  // namespace

Reply show_routes(Context& context, const Request&) {
  return only(context, {{"route", Json::array()}});
}
Reply show_routing(Context& context, const Request&) {
  return only(context, {{"routing", Json::array()}});
}

}  // namespace ulnet::node::control
