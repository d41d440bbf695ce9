#include "core/flow/notify.h"

#include "core/flow/gateway_news.h"
#include "core/flow/peer_health.h"

namespace ulnet::core {

namespace {

/// A driver that has lost the peer NI by one of several NIs of the net says nothing of the others.
bool is_one_of_several(const Step& step, const call::NotifyPeer& call) {
  return call.from_driver && nis_on(step, call.nid.net()) > 1;
}

}  // namespace

Check notify_peer(Step& step, const call::NotifyPeer& call) {
  using What = letter::GatewayNotified::What;
  if (step.s.shut_down) return {-ESHUTDOWN, "shutting down"};
  if (call.nid.is_any()) return {-EINVAL, "nobody that could be alive"};
  if (call.seconds_ago < 0) return {-EINVAL, "that time is still to come"};
  if (!call.alive && call.from_driver && !step.config().globals.auto_down) return {};
  const Instant when = step.now - std::chrono::seconds(call.seconds_ago);
  if (PeerNi* const ni = step.s.peers.find_ni(call.nid)) {
    if (!call.alive && when < ni->last_heard) return {};
    if (call.alive || !is_one_of_several(step, call)) ni->known->lost = !call.alive;
    if (call.alive && call.reset) set_peer_health(step, *ni, kHealthMax);
  }
  if (step.s.routes.empty() || (call.alive && !call.reset)) return {};
  step.send_letter(kControlShard,
                   letter::GatewayNotified{call.nid, call.alive ? What::kReset : What::kDown, {}});
  return {};
}

void peer_lost(Step& step, const Nid& nid) {
  call::NotifyPeer call{nid};
  call.alive = false;
  call.from_driver = true;
  (void)notify_peer(step, call);
}

bool watches_peers_on(const ShardState& s, NetId id) {
  if (s.router.state == RoutingState::kDisabled) return false;
  const LocalNet* net = s.nis.find(id);
  return net != nullptr && net->nis.front()->config.tunables.peer_timeout > 0;
}

}  // namespace ulnet::core
