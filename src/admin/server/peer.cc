// /v1/peer: the nodes that this node knows. Source: spec/cli-lnetctl.md 3.8, 3.9, 3.16, 4.2.
#include <nlohmann/json.hpp>

#include "admin/server/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/pieces.h"
#include "admin/server/trees.h"
#include "lnet/config/model.h"
#include "lnet/config/ni_values.h"

namespace ulnet::node::control {

namespace {

Result<Node::PeerAdd> read_peer(const Json& body) {
  Fields fields(body);
  const auto primary = fields.one_nid("primary nid");
  auto nids = fields.nids("nids", conf::kPeerNidsMax);
  const bool multi_rail = fields.boolean("Multi-Rail").value_or(true);
  const bool lock = fields.boolean("lock").value_or(false);
  if (!primary) fields.refuse(-EINVAL, "'primary nid' is missing");
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  return Node::PeerAdd{.primary = *primary,
                       .nids = std::move(nids).value_or(std::vector<Nid>{}),
                       .multi_rail = multi_rail,
                       .lock_primary = lock};
}

Result<void> change_peers(Node& node, Fields& fields) {
  const auto nid = fields.one_nid("nid");
  const bool all = fields.boolean("all").value_or(false);
  const auto health = fields.integer("health", INT32_MIN, INT32_MAX);
  const auto state = fields.integer("state", 0, UINT32_MAX);
  if (health && *health < 0) fields.refuse(-EINVAL, "'health' must be 0 or more");
  if (!health && !state) fields.refuse(-EINVAL, "nothing to set: 'health' or 'state'");
  if (nid.has_value() == all)
    fields.refuse(-EINVAL, "either 'nid' or 'all' must say which peer interfaces to set");
  if (state && all) fields.refuse(-EINVAL, "'state' can be set for one peer only");
  if (const auto finished = fields.finish(); !finished) return finished;
  if (state) {
    const auto set = node.peer_set_state(*nid, static_cast<std::uint32_t>(*state));
    if (!set || !health) return set;
  }
  return node.peer_set_health(nid, static_cast<std::int32_t>(conf::health_of(*health)));
}

/// Whether a peer that can be shown has the NID; 0@lo is not shown as a peer.
bool knows(Node& node, const Nid& nid) {
  bool found = false;
  node.for_each_peer(nid, [&](const core::PeerShow& peer) {
    found = !peer.primary.is_loopback();
    return !found;
  });
  return found;
}

}  // namespace

Reply show_peers(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  Nid only;
  if (request.has_param("nid")) {
    const auto nid = read_nid(request.param("nid"));
    if (!nid) return reply_error(nid.error());
    only = *nid;
    if (only.is_any() || !knows(*node, only))
      return reply_error(404, -ENOENT, "cannot find peer " + only.to_string());
  }
  return reply_in_pieces(context, node, kJson, 0, [only](Node& shown, Pieces& to) {
    const NodeState state = shown.state();
    to.add(R"({"peer":[)");
    JsonItems items(to);
    shown.for_each_peer(only, [&](const core::PeerShow& peer) {
      return peer.primary.is_loopback() || write_peer(items.next(), peer, state);
    });
    to.add("]}\n");
  });
}

Reply add_peer(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  const auto peer = read_peer(*body);
  if (!peer) return reply_error(peer.error());
  return reply_result(node->peer_add(*peer));
}

Reply delete_peer(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto primary = fields.nid("primary nid");
  const auto nids = fields.nids("nids", conf::kPeerNidsMax);
  const bool force = fields.boolean("force").value_or(false);
  if (!primary) fields.refuse(-EINVAL, "'primary nid' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  return reply_result(node->peer_del(*primary, nids.value_or(std::vector<Nid>{}), force));
}

Reply set_peers(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  return reply_result(change_peers(*node, fields));
}

Reply log_peer(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto nid = fields.one_nid("nid");
  if (!nid) fields.refuse(-EINVAL, "'nid' is missing");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  node->debug_peer(*nid);
  return reply_done();
}

}  // namespace ulnet::node::control
