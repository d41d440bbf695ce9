// What a change of the link of one of this node's NIs does to the NI's connections. Source:
// spec/wire-socklnd.md 10, DECISIONS 129.
#include "base/canary.h"
#include "lnd/sock/engine/engine.h"

namespace ulnet::lnd::sock {

void Engine::link_changed(core::NiId id, bool up) {
  const auto found = nis_.find(id);
  if (found == nis_.end() || std::exchange(found->second.link_up, up) == up) return;
  up ? link_up(id) : link_down(found->second);
}

/// Ends what is under way on the NI's connections, so that it can leave by another NI.
void Engine::link_down(const NiInfo& ni) {
  for (auto at = peer_order_.begin(); at != peer_order_.end();) {
    Peer& peer = *at++;
    if (peer.key.ni != ni.id || peer.is_own_ni()) continue;
    peer.dial_with_link = peer.initiated && !peer.conns.empty();
    close_peer(peer, kLinkDown);
  }
}

/// First resets the connections that were left: a peer that still has them would refuse new ones
/// as duplicates (spec/wire-socklnd.md 5.1).
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
