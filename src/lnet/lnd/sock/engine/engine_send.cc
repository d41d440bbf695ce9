// Sending: which connection carries a message, and how a Send ends. Source: spec/wire-socklnd.md
// 5.2, 7; DESIGN.md 2.
#include <algorithm>

#include "lnet/lnd/sock/engine/conn_choice.h"
#include "lnet/lnd/sock/engine/engine.h"

namespace ulnet::lnd::sock {

namespace {

constexpr Failure kSent{};
constexpr Failure kCancelled{-ECANCELED, core::Health::kLocalDropped, "it was cancelled"};
constexpr Failure kNeverDialled{-EHOSTUNREACH, core::Health::kRemoteDropped,
                                "it cannot be dialled"};

}  // namespace

void Engine::send(core::Send&& send) {
  Tx* tx = pool_.take();
  tx->send = std::move(send);
  tx->since = now_;
  if (Peer* peer = find_peer(tx->send.ni, tx->send.hop)) return send_to(*peer, tx);
  const auto ni = nis_.find(tx->send.ni);
  if (ni == nis_.end()) return finish(tx, kShutDown);
  send_to(obtain_peer(ni->second, tx->send.hop), tx);
}

void Engine::send_to(Peer& peer, Tx* tx) {
  if (Conn* conn = choose(peer, tx->send)) {
    enqueue(*conn, tx);
    if (peer.wants_more || peer.at_other_addresses_only()) want_dial(peer, true);
    return;
  }
  if (!peer.address) {
    finish(tx, kNeverDialled);
    return forget_if_idle(peer);
  }
  if (!peer.has_link()) {
    finish(tx, kLinkDown);
    return forget_if_idle(peer);
  }
  if (const Failure* failure = peer.plan.back_off(now_)) {
    Failure at_once = *failure;
    at_once.status = kInBackOff.status;
    return finish(tx, at_once);
  }
  peer.waiting.push(tx);
  watch(peer);
  arm(peer, tx->send.deadline);
  want_dial(peer, true);
}

void Engine::send_waiting(Peer& peer) {
  TxList waiting;
  waiting.take_all(peer.waiting);
  while (Tx* tx = waiting.pop()) {
    Conn* conn = choose(peer, tx->send);
    if (conn == nullptr) {
      peer.waiting.push(tx);
    } else {
      enqueue(*conn, tx);
    }
  }
}

Conn* Engine::choose(Peer& peer, const core::Send& send) {
  Conn* best = nullptr;
  Fit best_fit = Fit::kNever;
  Load best_load{};
  for (Conn* conn : peer.conns) {
    const std::uint32_t bytes = TxQueue::size_of(send, conn->version);
    const Cargo cargo =
        bytes < static_cast<std::uint32_t>(tunables_.min_bulk) ? Cargo::kSmall : Cargo::kBulk;
    const Fit how = fit(conn->version, conn->type, cargo);
    const Load load{conn->tx.queued_bytes(), conn->used};
    if (how == Fit::kNever || how < best_fit) continue;
    if (how == best_fit && !lighter(load, best_load, tunables_.round_robin != 0)) continue;
    best = conn;
    best_fit = how;
    best_load = load;
  }
  if (best != nullptr) best->used = ++next_use_;
  return best;
}

Conn* Engine::choose_for_noop(Peer& peer, bool may_block) {
  Conn* best = nullptr;
  Fit best_fit = Fit::kNever;
  for (Conn* conn : peer.conns) {
    const Fit how = fit(conn->version, conn->type, may_block ? Cargo::kNoopMayBlock : Cargo::kNoop);
    if (conn->version == 1 || how <= best_fit) continue;
    best = conn;
    best_fit = how;
  }
  return best;
}

void Engine::enqueue(Conn& conn, Tx* tx) {
  Peer& peer = *conn.peer;
  const wire::LnetHeader& header = tx->send.header;
  // The headers of versions below 4 have no room for a large NID (spec/wire-lnet.md 3.1).
  if (conn.version < 4 && !(header.dest_nid.is_small() && header.src_nid.is_small()))
    return finish(tx, kTooLargeNid);
  // Ask for a zero-copy ACK only under the test switch, and only if the peer has a connection to
  // send it on (spec/wire-socklnd.md 7).
  const bool can_ack = conn.version == 2 || (conn.version >= 3 && peer.have.bulk_out != 0);
  if (tunables_.zc_request != 0 && can_ack &&
      tx->send.payload.length >= static_cast<std::uint32_t>(tunables_.zc_min_payload))
    tx->cookie0 = peer.ledger.draw();
  peer.exchanged = true;
  peer.last_message = now_;
  expect_progress(conn);
  if (Tx* superfluous = conn.tx.push(tx, style(conn))) pool_.give(superfluous);
  mark_writable(conn);
  arm(peer, tx->send.deadline);
}

/// Called when something is about to be queued: from now on the engine expects progress on this
/// connection. If something is outstanding already, its time goes on. Only an acknowledgement by
/// the peer is progress; bytes that this system's TCP takes are not.
void Engine::expect_progress(Conn& conn) {
  if (!conn.outstanding()) conn.progress = now_;
  watch(*conn.peer);
}

void Engine::mark_writable(Conn& conn) {
  if (conn.marked_writable) return;
  conn.marked_writable = true;
  writable_.push_back(conn.self);
}

std::size_t Engine::gather(Handle handle, iovec* out, std::size_t max, ByteSpan scratch,
                           std::size_t enough) {
  Conn* conn = find(handle);
  if (conn == nullptr || conn->state == ConnState::kClosed) return 0;
  std::size_t used = 0;
  if (conn->handshake) {
    const ByteView hello = conn->handshake->greeting.unsent();
    if (!hello.empty())
      out[used++] = {const_cast<std::byte*>(hello.data()), hello.size()};  // NOLINT: sendmsg reads
  }
  if (conn->state != ConnState::kOpen) return used;
  if (corrupt_setting_ != tunables_.inject_csum_error)
    corrupt_ = corrupt_setting_ = tunables_.inject_csum_error;
  used += conn->tx.gather(out + used, max - used, scratch, enough, style(*conn), corrupt_);
  counters_.add(Count::kCopiedOut, conn->tx.take_copied());
  return used;
}

void Engine::written(Handle handle, std::size_t bytes) {
  Conn* conn = find(handle);
  if (conn == nullptr || conn->state == ConnState::kClosed) return;
  conn->last_tx = now_;
  conn->written += bytes;
  if (conn->handshake) {
    Greeting& greeting = conn->handshake->greeting;
    const std::size_t hello = std::min(bytes, greeting.unsent().size());
    greeting.sent(hello);
    bytes -= hello;
    if (greeting.unsent().empty() && conn->state == ConnState::kOpen) conn->handshake.reset();
    if (conn->state == ConnState::kRefusing && greeting.unsent().empty())
      return refusal_sent(*conn);
  }
  if (conn->state != ConnState::kOpen) return;  // a handshake has a timer of its own
  if (conn->unacked == 0) conn->progress = now_;
  conn->unacked = Conn::kUnseen;
  if (bytes == 0) return watch(*conn->peer);  // a hello only: watch for its acknowledgement
  conn->tx.written(bytes, [&](Tx* tx) {
    if (tx->cookie0 != 0) return conn->peer->ledger.await(tx, conn->self, now_);
    finish(tx, kSent);
  });
}

void Engine::cancel(const core::Cancel& cancel) {
  Peer* peer = find_peer(cancel.ni, cancel.hop);
  if (peer == nullptr) return;
  const auto named = [&](const Tx& tx) { return !tx.is_noop && tx.send.tx == cancel.tx; };
  Tx* tx = peer->waiting.take_if(named);
  for (std::size_t i = 0; tx == nullptr && i < peer->conns.size(); ++i)
    tx = take_back(*peer->conns[i], named);
  if (tx == nullptr) return;  // its first byte is written: its SendDone comes when it is written
  counters_.add(Count::kSendsCancelled);
  finish(tx, kCancelled);
}

void Engine::finish(Tx* tx, const Failure& failure) {
  const bool noop = tx->is_noop;
  const core::SendDone done{tx->send.tx, failure.status, failure.health,
                            failure.status != 0 && tx->begun()};
  pool_.give(tx);
  if (noop) return;
  if (failure.status != 0) counters_.add(Count::kSendsFailed);
  outlet_.deliver(done);
}

void Engine::finish_all(TxList& list, const Failure& failure) {
  while (Tx* tx = list.pop()) finish(tx, failure);
}

}  // namespace ulnet::lnd::sock
