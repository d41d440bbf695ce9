// What the engines of a driver share: how many connections peers may have opened, and how much
// memory held payload may take. Source: docs/SECURITY.md.
#include <algorithm>
#include <cstdlib>

#include "lnet/base/limits.h"
#include "lnet/lnd/sock/engine/engine_rx.h"

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
/// How often the engine tries to stage messages that wait for memory, and how many at a time.
constexpr Duration kStagePause = std::chrono::milliseconds(100);
constexpr unsigned kStagesAtOnce = 64;

std::uint32_t hold_cost(std::uint32_t payload) {
  return std::max<std::uint32_t>(payload, limits::kHoldCostMin);
}

}  // namespace

// ---- connections --------------------------------------------------------------------------------

/// Whether a connection whose hello is acceptable may open. A peer's first connection from an
/// address reserves as many as an honest peer opens from there: if a later one were refused, the
/// peer would close those that it has (spec/wire-socklnd.md 4.6), and begin again. A connection
/// beyond these (5.1 lets each type have as many as a bulk direction) reserves one more. If all
/// engines together have reached their limit, evict_one() frees some connections; if it cannot,
/// this connection is closed. A host that has reached the limit of one address is refused.
bool Engine::admit_open(Conn& conn, const Peer& peer, ConnType type) {
  const Address& address = conn.remote.address;
  std::uint32_t open = 0, taken = 0;
  for (const Conn* other : peer.conns)
    if (!other->active && other->remote.address == address) ++open, taken += other->reserved;
  if (open < taken) return true;
  const bool one = open != 0 || type == ConnType::kAny;
  const auto reserved = static_cast<std::uint16_t>(one ? 1 : 1 + 2 * peer.bulk);
  Share share = outlet_.take_connections(address, reserved);
  while (share == Share::kAllFull && evict_one(peer))
    share = outlet_.take_connections(address, reserved);
  if (share == Share::kTaken) conn.reserved = reserved;
  if (share == Share::kTaken) return true;
  close_unopened(conn, share == Share::kAllFull ? Count::kRefusedFull : Count::kRefusedAddressFull);
  return false;
}

bool Engine::has_reservation(const Peer& peer) {
  return std::any_of(peer.conns.begin(), peer.conns.end(),
                     [](const Conn* conn) { return conn->reserved != 0; });
}

/// The connection, which the peer no longer has, passes its reservation to another of the peer's
/// connections from the same address, or gives it back.
void Engine::release_reservation(Conn& conn, const Peer& peer) {
  const std::uint16_t reserved = std::exchange(conn.reserved, 0);
  if (reserved == 0) return;
  for (Conn* other : peer.conns)
    if (!other->active && other->remote.address == conn.remote.address) {
      other->reserved += reserved;
      return;
    }
  outlet_.give_connections(conn.remote.address, reserved);
}

/// Disconnects a peer other than `newcomer`. The first choice is the peer that has waited longest
/// among those that have exchanged no message since they connected. The second choice is the peer
/// that has been idle longest among those at the front of visitors_. So a host that opens
/// connections and sends nothing displaces others that send nothing, and never a peer that has sent
/// something. A peer in visitors_ that was used since it got its place moves to the end. False:
/// none of the peers looked at may be disconnected.
bool Engine::evict_one(const Peer& newcomer) {
  const auto may_evict = [&](const Peer& peer) {
    return &peer != &newcomer && can_disconnect(peer);
  };
  for (unsigned looks = 0; looks < kLooks && !silent_.empty(); ++looks) {
    Peer& peer = silent_.front();
    const bool has_come = has_reservation(peer);
    if (has_come && !peer.exchanged && now_ - peer.queued < kSilentMin) return false;
    silent_.pop_front();
    if (has_come && !peer.exchanged && may_evict(peer)) return evict(peer), true;
    if (has_come) visitors_.push_back(peer);
  }
  for (unsigned looks = 0; looks < kLooks && !visitors_.empty(); ++looks) {
    Peer& peer = visitors_.front();
    visitors_.pop_front();
    if (!has_reservation(peer)) continue;
    const bool idle = peer.queued >= peer.last_message && now_ - peer.queued >= kIdleMin;
    if (idle && may_evict(peer)) return evict(peer), true;
    peer.queued = std::max(peer.queued, peer.last_message);
    visitors_.push_back(peer);
  }
  return false;
}

void Engine::evict(Peer& peer) {
  report(Count::kEvicted, *peer.conns.front());
  peer.exchanged = false;  // so that close_all() does not report it lost
  close_all(peer, kEvictedForPeer, false);
}

/// Whether the peer may be disconnected without loss: the peer dialled, and no message is under way
/// either way. The peer, or this node, dials again when there is a message.
bool Engine::can_disconnect(const Peer& peer) {
  if (peer.dial != nullptr || !peer.waiting.empty() || !peer.ledger.empty()) return false;
  return std::none_of(peer.conns.begin(), peer.conns.end(), [this](const Conn* conn) {
    return conn->active || conn->paused || conn->rx.mid_message() || conn->current ||
           !conn->held.empty() || !conn->tx.empty() ||
           (conn->unacked != 0 && outlet_.unacknowledged(conn->self) != 0);
  });
}

/// Called when a connection that the peer dialled has opened. Puts the peer into silent_, unless it
/// is in a list already.
void Engine::visited(Peer& peer) {
  if (peer.visiting.is_linked()) return;
  peer.queued = now_;
  silent_.push_back(peer);
}

// ---- memory -------------------------------------------------------------------------------------

/// Reserves memory for the payload of a held message, so that its connection can be read on. If
/// there is no memory, the connection is not read.
Engine::Staged Engine::try_stage(Rx& rx) {
  const Peer& peer = *rx.conn->peer;
  if (peer.held_bytes + hold_cost(rx.length) > limits::kHoldBytesPerPeer) return Staged::kPeerFull;
  if (!take_hold_memory(rx)) return Staged::kNodeFull;
  rx.store_vector = {rx.store.get(), rx.length};
  rx.conn->rx.land({&rx.store_vector, 1, 0, rx.length});
  rx.state = Rx::State::kStaging;
  resume(*rx.conn);
  return Staged::kYes;
}

bool Engine::take_hold_memory(Rx& rx) {
  const std::uint32_t cost = hold_cost(rx.length);
  const Address& from = rx.conn->remote.address;
  if (outlet_.take_memory(from, cost) != Share::kTaken) return false;
  rx.store.reset(static_cast<std::byte*>(std::malloc(rx.length)));
  if (rx.store == nullptr) {
    outlet_.give_memory(from, cost);
    return false;
  }
  rx.cost = cost;
  rx.conn->peer->held_bytes += hold_cost(rx.length);
  return true;
}

void Engine::give_hold_memory(Rx& rx) {
  rx.store.reset();
  const std::uint32_t cost = std::exchange(rx.cost, 0);
  if (cost == 0) return;
  rx.conn->peer->held_bytes -= hold_cost(rx.length);
  outlet_.give_memory(rx.conn->remote.address, cost);
  if (!short_of_memory_.empty()) stage_at_ = now_;
}

/// Stages a message that the core holds, or lets its connection wait for memory. Memory within the
/// peer's own limit becomes free when another message of the peer is released.
void Engine::stage_or_wait(Rx& rx) {
  const Staged staged = try_stage(rx);
  if (staged == Staged::kYes) return;
  counters_.add(Count::kHoldPaused);
  if (staged == Staged::kPeerFull) return;
  report(Count::kHoldShort, *rx.conn);
  short_of_memory_.push_back(rx.conn->self);
  if (stage_at_ == kNever) stage_at_ = now_ + kStagePause;
}

/// Frees the memory of a message that is held no longer.
void Engine::release_hold(Rx& rx) {
  rx.unlink();
  if (rx.cost == 0) return;
  give_hold_memory(rx);
  stage_held_of(*rx.conn->peer);
}

/// Stages messages of the peer that waited for memory within its own limit.
void Engine::stage_held_of(const Peer& peer) {
  for (Conn* conn : peer.conns) {
    Rx* other = rxs_.find(conn->current);
    if (other == nullptr || other->state != Rx::State::kHeldUnread || other->deferred) continue;
    if (try_stage(*other) != Staged::kNodeFull) continue;
    short_of_memory_.push_back(conn->self);
    stage_at_ = now_;
  }
}

/// Stages messages that wait for memory, as far as there is memory now.
void Engine::stage_waiting() {
  const std::size_t turns = std::min<std::size_t>(short_of_memory_.size(), kStagesAtOnce);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const Handle handle = short_of_memory_.front();
    short_of_memory_.pop_front();
    const Conn* conn = find(handle);
    Rx* rx = conn == nullptr ? nullptr : rxs_.find(conn->current);
    if (rx == nullptr || rx->state != Rx::State::kHeldUnread || rx->deferred) continue;
    if (try_stage(*rx) == Staged::kNodeFull) short_of_memory_.push_back(handle);
  }
  stage_at_ = short_of_memory_.empty() ? kNever : now_ + kStagePause;
}

}  // namespace ulnet::lnd::sock
