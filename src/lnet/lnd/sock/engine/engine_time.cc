// Time: handshakes that take too long, peers that make no progress, keepalives. Each peer has one
// timer, which is armed only while there is something to wait for. Source: spec/wire-socklnd.md
// 7.2, 10.
#include <algorithm>

#include "lnet/lnd/sock/engine/engine.h"

namespace ulnet::lnd::sock {

namespace {

constexpr Duration kKeepaliveGap = std::chrono::seconds(10);

}  // namespace

void Engine::arm(Peer& peer, Instant when) {
  if (when >= peer.timer.deadline()) return;
  peer_timers_.arm(peer.timer, when);
  due_stale_ = true;
}

void Engine::arm(Handshake& handshake, Duration in) {
  conn_timers_.arm(handshake.timer, now_ + in);
  due_stale_ = true;
}

Instant Engine::next_deadline() {
  if (has_work()) return now_;
  if (std::exchange(due_stale_, false))
    due_ = std::min(peer_timers_.next_deadline(), conn_timers_.next_deadline());
  const Instant due = std::min(due_, stage_at_);
  return dial_queue_.empty() || dials_full_ ? due : std::min(due, dials_stuck_);
}

void Engine::work() {
  if (now_ >= next_deadline()) {
    fire();
    resume_all();
  }
  if (!closed_.empty()) reap();
}

void Engine::fire() {
  while (Timer* timer = conn_timers_.pop(now_))
    handshake_timeout(*static_cast<ConnTimer*>(timer)->conn);
  while (Timer* timer = peer_timers_.pop(now_)) check_peer(*static_cast<PeerTimer*>(timer)->peer);
  due_stale_ = true;
  if (now_ >= stage_at_) stage_waiting();
  if (!dial_queue_.empty() && now_ >= dials_stuck_) start_dials();
}

/// Resumes paused connections whose message has got its verdict: first parses the bytes that were
/// read before the pause.
void Engine::resume_all() {
  resuming_.swap(resume_);
  for (const Handle handle : resuming_) {
    Conn* conn = find(handle);
    if (conn == nullptr || conn->state != ConnState::kOpen) continue;
    conn->paused = false;
    conn->last_rx = now_;  // time in which the connection was paused does not count
    resumed_ = std::move(conn->unparsed);
    parse(*conn, resumed_ == nullptr ? ByteView() : resumed_->rest());
    if (resumed_ != nullptr && spare_unparsed_.size() < kSpareUnparsed)
      spare_unparsed_.push_back(std::move(resumed_));
    resumed_ = nullptr;
    if (conn->state == ConnState::kOpen && !conn->paused) outlet_.pause(handle, false);
  }
  resuming_.clear();
}

void Engine::check_peer(Peer& peer) {
  if (is_cut_off(peer)) return leave(peer);
  Instant next = kNever;
  check_waiting(peer, next);
  for (std::size_t i = 0; i < peer.conns.size(); ++i) {
    Conn& conn = *peer.conns[i];
    if (check_conn(peer, conn, next)) continue;
    report(Count::kClosedNoProgress, conn);
    watch(peer);
    return close_address(peer, conn.remote.address, kNoProgress);  // the peer may be gone now
  }
  const Duration limit = peer.ni->timeout;
  if (!peer.ledger.empty()) {
    if (peer.ledger.oldest() + limit <= now_) {
      report(Count::kClosedNoAck,
             *peer.conns.front());  // a request is dropped with its connection,
                                    // so there is one
      return close_peer(peer, kAckMissing);
    }
    next = std::min(next, peer.ledger.oldest() + limit);
  }
  check_keepalive(peer, next);
  if (next != kNever) arm(peer, std::max(next, now_ + std::chrono::milliseconds(1)));
  want_dial(peer, false);
}

/// Fails the messages that have waited too long for a connection, or past their deadline.
void Engine::check_waiting(Peer& peer, Instant& next) {
  const Duration limit = peer.ni->timeout;
  const auto over = [&](const Tx& tx) {
    return tx.since + limit <= now_ || tx.send.deadline <= now_;
  };
  while (Tx* tx = peer.waiting.take_if(over)) finish(tx, kWaitedTooLong);
  peer.waiting.for_each([&](const Tx& tx) {
    next = std::min({next, tx.since + limit, tx.send.deadline});
  });
}

/// Checks an open connection; fails its queued messages that are past their deadline. False: it
/// has made no progress for too long.
bool Engine::check_conn(Peer& peer, Conn& conn, Instant& next) {
  const Duration limit = peer.ni->timeout;
  const auto late = [&](const Tx& tx) { return !tx.is_noop && tx.send.deadline <= now_; };
  while (Tx* tx = take_back(conn, late)) finish(tx, kNoProgress);
  conn.tx.for_each([&](const Tx& tx) {
    if (!tx.is_noop && !tx.begun()) next = std::min(next, tx.send.deadline);
  });

  if (conn.rx.mid_message() && !conn.paused) {
    if (conn.last_rx + limit <= now_) return false;
    next = std::min(next, conn.last_rx + limit);
  }
  if (conn.unacked != 0) {
    const std::uint32_t unacked = outlet_.unacknowledged(conn.self);
    if (unacked == 0) peer.last_heard = std::max(peer.last_heard, conn.last_tx);
    const std::uint64_t acked = conn.written - std::min<std::uint64_t>(unacked, conn.written);
    if (acked > conn.acked) conn.progress = now_;
    conn.acked = acked;
    conn.unacked = unacked;
  }
  if (!conn.outstanding()) return true;
  if (conn.progress + limit <= now_) return false;
  // Look often enough to see that something was acknowledged between two looks.
  next = std::min({next, conn.progress + limit, now_ + limit / 4});
  return true;
}

void Engine::check_keepalive(Peer& peer, Instant& next) {
  if (tunables_.keepalive <= 0) return;
  Conn* conn = choose_for_noop(peer, false);
  if (conn == nullptr || conn->version < 3) return;
  const Instant due = std::max(peer.last_heard + std::chrono::seconds(tunables_.keepalive),
                               peer.last_keepalive + kKeepaliveGap);
  if (now_ < due || !conn->tx.empty()) {
    next = std::min(next, now_ < due ? due : now_ + kKeepaliveGap);
    return;
  }
  Tx* noop = pool_.take();
  noop->acks = wire::NoopAcks::keepalive();
  expect_progress(*conn);
  conn->tx.push_noop(noop);
  mark_writable(*conn);
  counters_.add(Count::kKeepalivesSent);
  peer.last_keepalive = now_;
  next = std::min(next, now_ + kKeepaliveGap);
}

}  // namespace ulnet::lnd::sock
