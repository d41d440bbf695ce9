// What a change of the link of one of this node's NIs does to the NI's connections. Source:
// spec/wire-socklnd.md 10, decision 129.
#include "lnet/lnd/sock/engine/engine.h"

namespace ulnet::lnd::sock {

namespace {

/// How long connections are kept while the link is down, if TCP retransmits within a second once
/// the link is up again. Messages under way on them then survive a short outage. A message that was
/// partly written is lost when its connection is closed, since nobody knows how many of its bytes
/// arrived (spec/multirail.md 5.2).
constexpr Duration kKeptFor = std::chrono::seconds(10);

}  // namespace

void Engine::link_changed(core::NiId id, bool up) {
  const auto found = nis_.find(id);
  if (found == nis_.end() || found->second.link_up() == up) return;
  found->second.link_down_since = up ? kNever : now_;
  up ? link_up(id) : link_down(id);
}

void Engine::link_down(core::NiId id) {
  const bool kept = outlet_.resends_soon();
  for (auto at = peer_order_.begin(); at != peer_order_.end();) {
    Peer& peer = *at++;
    if (peer.key.ni != id || peer.has_link()) continue;
    kept ? arm(peer, now_ + kKeptFor) : leave(peer);
  }
}

/// Whether the link of the peer's NI has been down for longer than its connections are kept.
bool Engine::is_cut_off(const Peer& peer) {
  const Duration kept = outlet_.resends_soon() ? kKeptFor : Duration{};
  return !peer.has_link() && now_ >= peer.ni->link_down_since + kept;
}

/// Ends the messages under way on the peer's connections, so that the core can send them by another
/// NI.
void Engine::leave(Peer& peer) {
  peer.dial_with_link = peer.initiated && !peer.conns.empty();
  close_peer(peer, kLinkDown);
}

/// Called when the link of the NI is up again. Dials the peers that were connected when the link
/// went down. Before that, resets the connections that were left: a peer that still has them would
/// refuse new ones as duplicates (spec/wire-socklnd.md 5.1).
void Engine::link_up(core::NiId id) {
  outlet_.reset_left(id);
  for (Peer& peer : peer_order_) {
    if (peer.key.ni != id) continue;
    peer.plan.link_up();
    if (!std::exchange(peer.dial_with_link, false)) continue;
    peer.wants_more = true;
    want_dial(peer, true);
  }
}

}  // namespace ulnet::lnd::sock
