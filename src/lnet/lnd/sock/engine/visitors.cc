#include <algorithm>

#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

using wire::ConnType;

namespace {

/// A peer that exchanged a message within this time is not disconnected to make room for another.
constexpr Duration kIdleMin = std::chrono::seconds(2);
/// For this time after a peer has connected, its first message may still be on the way.
constexpr Duration kSilentMin = std::chrono::milliseconds(250);
/// How many peers evict_one() looks at to find one that may be disconnected. Looking at more would
/// cost too much for one hello.
constexpr unsigned kLooks = 16;

/// Whether the peer has connections that it has dialled.
bool has_reservation(const Peer& peer) {
  return std::any_of(peer.conns.begin(), peer.conns.end(),
                     [](const Conn* conn) { return conn->reserved != 0; });
}

}  // namespace

/// A peer's first connection from an address reserves as many as an honest peer opens from there:
/// if a later one were refused, the peer would close those that it has (spec/wire-socklnd.md 4.6),
/// and begin again. A connection beyond these (5.1 lets each type have as many as a bulk direction)
/// reserves one more. If all engines together have reached their limit, evict_one() frees some
/// connections.
Share Visitors::admit(Conn& conn, const Peer& peer, ConnType type) {
  const Address& address = conn.remote.address;
  std::uint32_t open = 0, taken = 0;
  for (const Conn* other : peer.conns)
    if (!other->active && other->remote.address == address) ++open, taken += other->reserved;
  if (open < taken) return Share::kTaken;
  const bool one = open != 0 || type == ConnType::kAny;
  const auto reserved = static_cast<std::uint16_t>(one ? 1 : 1 + 2 * peer.bulk);
  Share share = parts_.outlet.take_connections(address, reserved);
  while (share == Share::kAllFull && evict_one(peer))
    share = parts_.outlet.take_connections(address, reserved);
  if (share == Share::kTaken) conn.reserved = reserved;
  return share;
}

void Visitors::release_reservation(Conn& conn, const Peer& peer) {
  const std::uint16_t reserved = std::exchange(conn.reserved, 0);
  if (reserved == 0) return;
  for (Conn* other : peer.conns)
    if (!other->active && other->remote.address == conn.remote.address) {
      other->reserved += reserved;
      return;
    }
  parts_.outlet.give_connections(conn.remote.address, reserved);
}

/// Disconnects a peer other than `newcomer`. The first choice is the peer that has waited longest
/// among those that have exchanged no message since they connected. The second choice is the peer
/// that has been idle longest among those at the front of visitors_. So a host that opens
/// connections and sends nothing displaces others that send nothing, and never a peer that has sent
/// something. A peer in visitors_ that was used since it got its place moves to the end. False:
/// none of the peers looked at may be disconnected.
bool Visitors::evict_one(const Peer& newcomer) {
  const auto may_evict = [&](const Peer& peer) {
    return &peer != &newcomer && can_disconnect(peer);
  };
  for (unsigned looks = 0; looks < kLooks && !silent_.empty(); ++looks) {
    Peer& peer = silent_.front();
    const bool has_come = has_reservation(peer);
    if (has_come && !peer.exchanged && parts_.now - peer.queued < kSilentMin) return false;
    silent_.pop_front();
    if (has_come && !peer.exchanged && may_evict(peer)) return evict(peer), true;
    if (has_come) visitors_.push_back(peer);
  }
  for (unsigned looks = 0; looks < kLooks && !visitors_.empty(); ++looks) {
    Peer& peer = visitors_.front();
    visitors_.pop_front();
    if (!has_reservation(peer)) continue;
    const bool idle = peer.queued >= peer.last_message && parts_.now - peer.queued >= kIdleMin;
    if (idle && may_evict(peer)) return evict(peer), true;
    peer.queued = std::max(peer.queued, peer.last_message);
    visitors_.push_back(peer);
  }
  return false;
}

void Visitors::evict(Peer& peer) {
  parts_.report(Count::kEvicted, *peer.conns.front());
  peer.exchanged = false;  // so that close_all() does not report it lost
  parts_.closer.close_all(peer, kEvictedForPeer, false);
}

/// Whether the peer may be disconnected without loss: the peer dialled, and no message is under way
/// either way. The peer, or this node, dials again when there is a message.
bool Visitors::can_disconnect(const Peer& peer) {
  if (peer.dial != nullptr || !peer.waiting.empty() || !peer.ledger.empty()) return false;
  return std::none_of(peer.conns.begin(), peer.conns.end(), [this](const Conn* conn) {
    return conn->active || conn->paused || conn->rx.mid_message() || conn->current ||
           !conn->held.empty() || !conn->tx.empty() ||
           (conn->unacked != 0 && parts_.outlet.unacknowledged(conn->self) != 0);
  });
}

void Visitors::visited(Peer& peer) {
  if (peer.visiting.is_linked()) return;
  peer.queued = parts_.now;
  silent_.push_back(peer);
}

}  // namespace ulnet::lnd::sock
