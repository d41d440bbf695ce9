// /v1/peer: the nodes that this node knows. Source: spec/cli-lnetctl.md 3.8, 3.9, 3.16, 4.2.
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/pieces.h"
#include "admin/server/trees.h"

namespace ulnet::node::control {

namespace {

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

Reply show_peers(Context& context, const NodePtr& node, const Request& request) {
  Nid only;
  if (request.has_param("nid")) {
    const auto nid = api::read_nid(request.param("nid"));
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

Reply log_peer(Context&, const NodePtr& node, const Request& request) {
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
