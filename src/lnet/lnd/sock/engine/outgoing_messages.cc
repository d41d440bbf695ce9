#include <algorithm>

#include "lnet/lnd/sock/engine/conn_choice.h"
#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

namespace {

constexpr Failure kSent{};
constexpr Failure kCancelled{-ECANCELED, core::Health::kLocalDropped, "it was cancelled"};
constexpr Failure kNeverDialled{-EHOSTUNREACH, core::Health::kRemoteDropped,
                                "it cannot be dialled"};

}  // namespace

void OutgoingMessages::send(core::Send&& send) {
  Tx* tx = pool_.take();
  tx->send = std::move(send);
  tx->since = parts_.now;
  if (Peer* peer = parts_.peers.find(tx->send.ni, tx->send.hop)) return send_to(*peer, tx);
  const NiInfo* ni = parts_.find_ni(tx->send.ni);
  if (ni == nullptr) return finish(tx, kShutDown);
  send_to(parts_.peers.obtain(*ni, tx->send.hop), tx);
}

void OutgoingMessages::send_to(Peer& peer, Tx* tx) {
  if (Conn* conn = choose(peer, tx->send)) {
    enqueue(*conn, tx);
    if (peer.wants_more || peer.at_other_addresses_only()) parts_.dials.want(peer, true);
    return;
  }
  if (!peer.address) {
    finish(tx, kNeverDialled);
    return parts_.peers.forget_if_idle(peer);
  }
  if (!peer.has_link()) {
    finish(tx, kLinkDown);
    return parts_.peers.forget_if_idle(peer);
  }
  if (const Failure* failure = peer.plan.back_off(parts_.now)) {
    Failure at_once = *failure;
    at_once.status = kInBackOff.status;
    return finish(tx, at_once);
  }
  peer.waiting.push(tx);
  parts_.watch.watch(peer);
  parts_.timers.arm(peer, tx->send.deadline);
  parts_.dials.want(peer, true);
}

void OutgoingMessages::send_waiting(Peer& peer) {
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

Conn* OutgoingMessages::choose(Peer& peer, const core::Send& send) {
  Conn* best = nullptr;
  Fit best_fit = Fit::kNever;
  Load best_load{};
  for (Conn* conn : peer.conns) {
    const std::uint32_t bytes = TxQueue::size_of(send, conn->version);
    const Cargo cargo =
        bytes < static_cast<std::uint32_t>(parts_.tunables.min_bulk) ? Cargo::kSmall : Cargo::kBulk;
    const Fit how = fit(conn->version, conn->type, cargo);
    const Load load{conn->tx.queued_bytes(), conn->used};
    if (how == Fit::kNever || how < best_fit) continue;
    if (how == best_fit && !lighter(load, best_load, parts_.tunables.round_robin != 0)) continue;
    best = conn;
    best_fit = how;
    best_load = load;
  }
  if (best != nullptr) best->used = ++next_use_;
  return best;
}

Conn* OutgoingMessages::choose_for_noop(Peer& peer, bool may_block) {
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

void OutgoingMessages::enqueue(Conn& conn, Tx* tx) {
  Peer& peer = *conn.peer;
  const wire::LnetHeader& header = tx->send.header;
  // The headers of versions below 4 have no room for a large NID (spec/wire-lnet.md 3.1).
  if (conn.version < 4 && !(header.dest_nid.is_small() && header.src_nid.is_small()))
    return finish(tx, kTooLargeNid);
  // Ask for a zero-copy ACK only under the test switch, and only if the peer has a connection to
  // send it on (spec/wire-socklnd.md 7).
  const bool can_ack = conn.version == 2 || (conn.version >= 3 && peer.have.bulk_out != 0);
  if (parts_.tunables.zc_request != 0 && can_ack &&
      tx->send.payload.length >= static_cast<std::uint32_t>(parts_.tunables.zc_min_payload))
    tx->cookie0 = peer.ledger.draw();
  peer.exchanged = true;
  peer.last_message = parts_.now;
  expect_progress(conn);
  if (Tx* superfluous = conn.tx.push(tx, style(conn))) pool_.give(superfluous);
  parts_.conns.mark_writable(conn);
  parts_.timers.arm(peer, tx->send.deadline);
}

void OutgoingMessages::expect_progress(Conn& conn) {
  if (!conn.outstanding()) conn.progress = parts_.now;
  parts_.watch.watch(*conn.peer);
}

std::size_t OutgoingMessages::gather(Handle handle, iovec* out, std::size_t max, ByteSpan scratch,
                                     std::size_t enough) {
  Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->state == ConnState::kClosed) return 0;
  std::size_t used = 0;
  if (conn->handshake) {
    const ByteView hello = conn->handshake->greeting.unsent();
    if (!hello.empty())
      out[used++] = {const_cast<std::byte*>(hello.data()), hello.size()};  // NOLINT: sendmsg reads
  }
  if (conn->state != ConnState::kOpen) return used;
  if (corrupt_setting_ != parts_.tunables.inject_csum_error)
    corrupt_ = corrupt_setting_ = parts_.tunables.inject_csum_error;
  used += conn->tx.gather(out + used, max - used, scratch, enough, style(*conn), corrupt_);
  parts_.counters.add(Count::kCopiedOut, conn->tx.take_copied());
  return used;
}

void OutgoingMessages::written(Handle handle, std::size_t bytes) {
  Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->state == ConnState::kClosed) return;
  conn->last_tx = parts_.now;
  conn->written += bytes;
  if (conn->handshake) {
    Greeting& greeting = conn->handshake->greeting;
    const std::size_t hello = std::min(bytes, greeting.unsent().size());
    greeting.sent(hello);
    bytes -= hello;
    if (greeting.unsent().empty() && conn->state == ConnState::kOpen) conn->handshake.reset();
    if (conn->state == ConnState::kRefusing && greeting.unsent().empty())
      return parts_.handshakes.refusal_sent(*conn);
  }
  if (conn->state != ConnState::kOpen) return;  // a handshake has a timer of its own
  if (conn->unacked == 0) conn->progress = parts_.now;
  conn->unacked = Conn::kUnseen;
  if (bytes == 0)
    return parts_.watch.watch(*conn->peer);  // a hello only: watch for its acknowledgement
  conn->tx.written(bytes, [&](Tx* tx) {
    if (tx->cookie0 != 0) return conn->peer->ledger.await(tx, conn->self, parts_.now);
    finish(tx, kSent);
  });
}

void OutgoingMessages::cancel(const core::Cancel& cancel) {
  Peer* peer = parts_.peers.find(cancel.ni, cancel.hop);
  if (peer == nullptr) return;
  const auto named = [&](const Tx& tx) { return !tx.is_noop && tx.send.tx == cancel.tx; };
  Tx* tx = peer->waiting.take_if(named);
  for (std::size_t i = 0; tx == nullptr && i < peer->conns.size(); ++i)
    tx = take_back(*peer->conns[i], named);
  if (tx == nullptr) return;  // its first byte is written: its SendDone comes when it is written
  parts_.counters.add(Count::kSendsCancelled);
  finish(tx, kCancelled);
}

void OutgoingMessages::queue_ack(Conn& carrier, std::uint64_t cookie) {
  parts_.counters.add(Count::kAcksSent);
  const bool may_block = parts_.tunables.nonblk_zcack == 0 && !carrier.routed;
  Conn* conn = choose_for_noop(*carrier.peer, may_block);
  // If the peer has no connection for ACKs, the connection that carried the request takes the ACK
  // (spec/wire-socklnd.md 7).
  say_ack(conn == nullptr ? carrier : *conn, cookie);
}

void OutgoingMessages::say_ack(Conn& conn, std::uint64_t cookie) {
  if (!conn.tx.merge_ack(cookie, style(conn))) push_noop(conn, wire::NoopAcks::one(cookie));
  parts_.conns.mark_writable(conn);
}

void OutgoingMessages::push_noop(Conn& conn, const wire::NoopAcks& acks) {
  expect_progress(conn);
  Tx* noop = pool_.take();
  noop->acks = acks;
  conn.tx.push_noop(noop);
}

void OutgoingMessages::send_keepalive(Conn& conn) {
  push_noop(conn, wire::NoopAcks::keepalive());
  parts_.conns.mark_writable(conn);
  parts_.counters.add(Count::kKeepalivesSent);
}

TxStyle OutgoingMessages::style(const Conn& conn) const {
  return conn.style(parts_.tunables.enable_csum != 0);
}

void OutgoingMessages::finish(Tx* tx, const Failure& failure) {
  const bool noop = tx->is_noop;
  const core::SendDone done{tx->send.tx, failure.status, failure.health,
                            failure.status != 0 && tx->begun()};
  pool_.give(tx);
  if (noop) return;
  if (failure.status != 0) parts_.counters.add(Count::kSendsFailed);
  parts_.outlet.deliver(done);
}

void OutgoingMessages::finish_all(TxList& list, const Failure& failure) {
  while (Tx* tx = list.pop()) finish(tx, failure);
}

}  // namespace ulnet::lnd::sock
