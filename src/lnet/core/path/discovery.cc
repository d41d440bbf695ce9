// Decides the next step in the discovery of a peer, and whether the peer is up to date. Source:
// spec/multirail.md 4.1, 4.2, 4.8.
#include "lnet/core/path/discovery.h"

namespace ulnet::core {

constinit const LifeCycle<DiscoveryPhase, DiscoveryEvent> kDiscoveryLifeCycle = [] {
  using P = DiscoveryPhase;
  using E = DiscoveryEvent;
  return LifeCycle<DiscoveryPhase, DiscoveryEvent>({
      {P::kIdle, E::kPing, P::kPinging},
      {P::kIdle, E::kPush, P::kPushing},
      {P::kPinging, E::kAnswered, P::kIdle},
      {P::kPinging, E::kFailed, P::kIdle},
      {P::kPushing, E::kAnswered, P::kIdle},
      {P::kPushing, E::kFailed, P::kIdle},
  });
}();

const char* to_string(DiscoveryPhase phase) {
  static constexpr const char* kNames[] = {"idle", "pinging", "pushing"};
  return phase < DiscoveryPhase::kCount ? kNames[static_cast<std::size_t>(phase)] : "?";
}

const char* to_string(DiscoveryEvent event) {
  static constexpr const char* kNames[] = {"ping", "push", "answered", "failed"};
  return event < DiscoveryEvent::kCount ? kNames[static_cast<std::size_t>(event)] : "?";
}

namespace {

bool needs_ping(const Peer& peer) {
  return peer.has(kPeerForcePing) || !peer.has(kPeerNidsUpToDate);
}

/// Whether a push to the peer is due. Only a Multi-Rail peer to which this node can connect gets
/// one. If discovery only verifies, the peer's own info decides whether it has Multi-Rail.
bool needs_push(const Peer& peer, const OwnInfo& own) {
  const bool multi_rail = own.verifies ? peer.advertised_multi_rail : peer.has(kPeerMultiRail);
  if (!multi_rail || peer.calls_only || peer.own) return false;
  if (peer.has(kPeerForcePush)) return true;
  return !peer.has(kPeerNoDiscovery) && own.discovery && peer.acked_sequence != own.sequence;
}

}  // namespace

DiscoveryStep next_of(const Peer& peer, const OwnInfo& own) {
  if (needs_ping(peer)) return DiscoveryStep::kPing;
  return needs_push(peer, own) ? DiscoveryStep::kPush : DiscoveryStep::kDone;
}

bool is_up_to_date(const Peer& peer, const OwnInfo& own) {
  // kPeerForcePush is not listed: it counts only if a push can be sent, so needs_push() checks it.
  constexpr std::uint32_t kUnsettled = kPeerDiscovering | kPeerForcePing | kPeerRediscover;
  return peer.has(kPeerDiscovered) && peer.has(kPeerNidsUpToDate) &&
         (peer.state & kUnsettled) == 0 && !needs_push(peer, own);
}

void begin_discovery(Peer& peer) {
  peer.set(kPeerDiscovering);
  peer.error = 0;
  peer.repeats = false;
}

void end_discovery(Peer& peer, int status) {
  peer.clear(kPeerDiscovering);
  peer.error = status;
  if (status != 0) return peer.set(kPeerRediscover);
  peer.clear(kPeerRediscover);
  // This node and peers to which it cannot connect get no push. For a peer without Multi-Rail the
  // bit stays, and shows that a push was requested (spec/multirail.md 4.8).
  if (peer.own || peer.calls_only) peer.clear(kPeerForcePush);
  peer.set(kPeerDiscovered);
}

}  // namespace ulnet::core
