// Dialling: which peers, when, and how many at once. Source: spec/wire-socklnd.md 2, 4.6, 5.1, 9,
// 10.
#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

namespace {

/// After this time in which no dial ended, nconnds_max dials may run rather than nconnds: those
/// under way seem to wait for peers that do not answer.
constexpr Duration kStuckAfter = std::chrono::milliseconds(100);

}  // namespace

Instant Dials::next_deadline() const { return queue_.empty() || full_ ? kNever : stuck_at_; }

void Dials::work() {
  if (!queue_.empty() && parts_.now >= stuck_at_) start_all();
}

DialPlan::Pace Dials::pace() const {
  return {std::chrono::milliseconds(parts_.tunables.min_reconnectms),
          std::chrono::milliseconds(parts_.tunables.max_reconnectms)};
}

bool Dials::typed() const { return parts_.tunables.typed_conns != 0; }

bool Dials::may_dial(const Peer& peer) const {
  return peer.address && !peer.dial_queued && peer.accepts == 0 && peer.has_link();
}

/// Whether this node dials a peer at its own address although the peer's connections, which carry
/// its messages, all come from other addresses. Those connections may be with a host that took over
/// its NID (spec/observed.md 8). If the peer was once connected at its own address, this node dials
/// it there again after each pause. If it never was (it may be behind address translation), this
/// node dials it there once, and only when no other peer waits for a dial.
bool Dials::may_dial_own_address(const Peer& peer) const {
  if (peer.seen_at_own_address) return true;
  const auto limit = static_cast<unsigned>(std::max(parts_.tunables.nconnds / 2, 1));
  return !peer.own_address_tried && queue_.empty() && running_ < limit;
}

void Dials::want(Peer& peer, bool message) {
  if (peer.conns.empty() && peer.waiting.empty() && !message) return;
  if (!peer.waiting.empty() || peer.conns.empty()) {
    peer.initiated = true;
    peer.wants_more = true;
  } else if (message && peer.at_other_addresses_only() && may_dial_own_address(peer)) {
    peer.own_address_tried = true;
    peer.wants_more = true;
  }
  if (!peer.wants_more || !may_dial(peer)) return;
  if (!next_missing(peer.at_own_address, peer.bulk, typed())) {
    peer.wants_more = false;
    return;
  }
  if (!peer.plan.ready(parts_.now, message || !peer.waiting.empty())) {
    if (peer.plan.pause_over() != kNever) parts_.timers.arm(peer, peer.plan.pause_over());
    return;
  }
  peer.dial_queued = true;
  queue_.push_back(peer.key);
  if (stuck_at_ == kNever) stuck_at_ = parts_.now + kStuckAfter;
  start_all();
}

void Dials::start_all() {
  const bool stuck = parts_.now >= stuck_at_;
  const auto limit =
      static_cast<unsigned>(stuck ? std::max(parts_.tunables.nconnds, parts_.tunables.nconnds_max)
                                  : parts_.tunables.nconnds);
  while (running_ < limit && !queue_.empty()) {
    const PeerKey key = queue_.front();
    queue_.erase(queue_.begin());
    Peer* peer = parts_.peers.find(key.ni, key.hop);
    if (peer == nullptr || !peer->dial_queued) continue;
    peer->dial_queued = false;
    if (peer->plan.dialling() || !may_dial(*peer)) continue;
    start_dial(*peer);
  }
  if (queue_.empty()) stuck_at_ = kNever;
  full_ = stuck && !queue_.empty();
}

void Dials::start_dial(Peer& peer) {
  const auto type = next_missing(peer.at_own_address, peer.bulk, typed());
  if (!type || (peer.conns.empty() && peer.waiting.empty() && !peer.wants_more)) return;
  const bool bulk = *type == wire::ConnType::kBulkIn || *type == wire::ConnType::kBulkOut;
  const auto port = static_cast<std::uint16_t>(bulk ? parts_.tunables.accept_port_bulk
                                                    : parts_.tunables.accept_port);
  Conn& conn = parts_.conns.make(ConnState::kConnecting, {*peer.address, port});
  conn.active = true;
  conn.ni = peer.ni;
  conn.peer = &peer;
  conn.type = *type;
  peer.dial = &conn;
  peer.plan.start();
  ++running_;
  parts_.report(Count::kDialled, conn, to_string(conn.type));
  parts_.timers.arm(*conn.handshake, parts_.now + peer.ni->timeout);
  parts_.outlet.dial(conn.self, {peer.ni->address, conn.remote, peer.ni->tos});
}

void Dials::ended(Peer& peer) {
  ULNET_ASSERT(peer.dial != nullptr && running_ != 0);
  peer.dial = nullptr;
  --running_;
  if (!queue_.empty()) {
    stuck_at_ = parts_.now + kStuckAfter;
    start_all();
  }
}

void Dials::failed(Handle handle, int error, bool unprivileged) {
  Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->state != ConnState::kConnecting) return;
  conn->unprivileged = unprivileged;
  came_to_nothing(*conn, dial_failure(error), Count::kDialFailed);
}

void Dials::came_to_nothing(Conn& conn, const Failure& failure, Count why) {
  Peer& peer = *conn.peer;
  parts_.report(why, conn, failure.reason);
  peer.trouble = failure;
  peer.trouble_unprivileged = conn.unprivileged;
  peer.plan.failed(parts_.now, failure, pace());
  peer.wants_more = false;
  parts_.closer.close_conn(conn, failure);
  TxList waiting;
  waiting.take_all(peer.waiting);
  parts_.outgoing.finish_all(waiting, failure);
  if (failure.shortage) return parts_.peers.forget_if_idle(peer);
  // Any other dial that fails closes every connection to that address, whatever the peer's PID
  // (4.6).
  const core::NiId ni = peer.key.ni;
  const Nid nid = peer.key.hop.nid;
  const Address address = *peer.address;
  parts_.peers.for_each([&](Peer& other) {
    if (other.key.ni == ni && other.key.hop.nid == nid)
      parts_.closer.close_address(other, address, failure);
  });
}

}  // namespace ulnet::lnd::sock
