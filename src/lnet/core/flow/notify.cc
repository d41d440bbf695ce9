// Takes the reports of drivers and administrators that a peer NI is alive or lost, and finds the
// peer NIs to which a router sends nothing. Source: spec/multirail.md 8, spec/core-semantics.md 11,
// decision 107.
#include "lnet/core/flow/notify.h"

#include "lnet/core/flow/peer_health.h"

namespace ulnet::core {

Check notify_peer(Step& step, const call::NotifyPeer& call) {
  using What = shard_msg::GatewayNotified::What;
  if (call.nid.is_any()) return {-EINVAL, "the peer's NID is missing"};
  if (call.seconds_ago < 0) return {-EINVAL, "that time is in the future"};
  if (!call.alive && call.ni.value != 0 && !step.config().globals.auto_down) return {};
  const Instant when = step.now - std::chrono::seconds(call.seconds_ago);
  if (PeerNi* const ni = step.s.peers.find_ni(call.nid)) {
    if (!call.alive && when < ni->last_heard) return {};
    call.alive ? step.s.peers.hear(*ni->known) : step.s.peers.lose(*ni->known, call.ni, step.now);
    if (call.alive && call.reset) set_peer_health(step, *ni, kHealthMax);
  }
  if (step.s.routes.empty() || (call.alive && !call.reset)) return {};
  const What what = call.alive ? What::kReset : What::kDown;
  step.send_to_shard(kControlShard, shard_msg::GatewayNotified{call.nid, what, {}, call.ni});
  return {};
}

void peer_lost(Step& step, NiId ni, const Nid& nid) {
  if (step.s.shut_down) return;
  call::NotifyPeer call{nid};
  call.alive = false;
  call.ni = ni;
  (void)notify_peer(step, call);
}

bool is_lost(const ShardState& s, const PeerNi& ni) {
  return s.peers.is_lost(*ni.known, s.nis.find(ni.nid.net()));
}

bool sends_nothing_to(Step& step, const PeerNi& ni) {
  if (!ni.known->doubted || !is_lost(step.s, ni) || !watches_peers_on(step.s, ni.nid.net()))
    return false;
  const std::int32_t pause =
      step.s.nis.find(ni.nid.net())->nis.front()->config.tunables.peer_timeout;
  return !step.s.peers.try_lost(*ni.known, step.now, std::chrono::seconds(pause));
}

bool watches_peers_on(const ShardState& s, NetId id) {
  if (s.router.state == RoutingState::kDisabled) return false;
  const LocalNet* net = s.nis.find(id);
  return net != nullptr && net->nis.front()->config.tunables.peer_timeout > 0;
}

}  // namespace ulnet::core
