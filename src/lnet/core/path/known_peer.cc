// Sets and clears the state bits of a peer, and moves the peer's shown life cycle with them.
// Source: spec/multirail.md 1.1.
#include "lnet/core/path/known_peer.h"

namespace ulnet::core {

namespace {

/// Changes the peer's life cycle after a state bit was set or cleared, if the life cycle allows
/// `event`.
void follow(Peer& peer, PeerLifeEvent event) {
  if (kPeerShownLifeCycle.allows(peer.life_cycle, event)) peer.on(event);
}

}  // namespace

void Peer::set(PeerBit bit) {
  state |= bit;
  if (bit == kPeerDiscovering) follow(*this, PeerLifeEvent::kDiscover);
  if (bit == kPeerPingSent) follow(*this, PeerLifeEvent::kPing);
  if (bit == kPeerPushSent) follow(*this, PeerLifeEvent::kPush);
}

void Peer::clear(PeerBit bit) {
  state &= ~static_cast<std::uint32_t>(bit);
  if (bit == kPeerPingSent) follow(*this, PeerLifeEvent::kPingEnded);
  if (bit == kPeerPushSent) follow(*this, PeerLifeEvent::kPushEnded);
  if (bit == kPeerDiscovering) follow(*this, PeerLifeEvent::kDiscovered);
}

}  // namespace ulnet::core
