// /healthz, for supervisors and load balancers. The node is unhealthy (503) if the daemon is
// ending, if LNet is not configured, or if the node has network interfaces besides the loopback and
// all of them are down.
#include <algorithm>

#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

Reply unhealthy(const char* why) {
  Reply reply = reply_text(std::string(why) + "\n");
  reply.status = 503;
  return reply;
}

}  // namespace

Reply show_health(Context& context, const Request&) {
  if (context.slot.draining()) return unhealthy("the daemon is ending");
  const auto node = context.slot.node();
  if (node == nullptr) return unhealthy("LNet is not configured");
  const NodeState state = node->state();
  const auto on_wire = [](const NiShow& ni) { return !ni.nid.is_loopback(); };
  const auto up_on_wire = [&](const NiShow& ni) { return on_wire(ni) && ni.up; };
  const bool any = std::any_of(state.nis.begin(), state.nis.end(), on_wire);
  if (any && !std::any_of(state.nis.begin(), state.nis.end(), up_on_wire))
    return unhealthy("every network interface is down");
  return reply_text("ok\n");
}

}  // namespace ulnet::node::control
