// Receiving: frames, ACKs, headers, and payload on its way into the core's memory. Source:
// spec/wire-socklnd.md 6, 7, 12.
#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/sock/engine/conn_choice.h"
#include "lnet/lnd/sock/engine/engine_rx.h"

namespace ulnet::lnd::sock {

namespace {

constexpr Failure kLanded{};
/// How many bytes to read behind the current message while the node has no memory for held payload.
/// The engine keeps the bytes that it read from a connection before it paused it, so they take
/// memory too.
constexpr std::size_t kAheadWhenShort = 4096;

Handle rx_handle(core::RxTicket ticket) {
  return {static_cast<std::uint32_t>(ticket.value & 0xffffff),
          static_cast<std::uint32_t>(ticket.value >> 32)};
}

}  // namespace

// ---- bytes --------------------------------------------------------------------------------------

std::size_t Engine::read_plan(Handle handle, iovec* out, std::size_t max, std::size_t& direct,
                              std::size_t& ahead) {
  direct = 0;
  const Conn* conn = find(handle);
  if (conn == nullptr || conn->paused || conn->state == ConnState::kClosed) {
    ahead = 0;
    return 0;
  }
  if (conn->state != ConnState::kOpen) return 0;
  const std::size_t used = conn->rx.direct(out, max, direct);
  // If the vectors do not reach the end of the sink, no bytes may be read behind them.
  ahead = used == max ? 0 : conn->rx.read_ahead(ahead);
  if (!short_of_memory_.empty()) ahead = std::min(ahead, kAheadWhenShort);
  return used;
}

bool Engine::received(Handle handle, std::size_t direct, ByteView tail) {
  Conn* conn = find(handle);
  if (conn == nullptr || conn->state == ConnState::kClosed) return false;
  conn->last_rx = now_;
  if (conn->state != ConnState::kOpen) {
    greet(*conn, tail);
  } else {
    conn->peer->last_heard = now_;
    if (direct != 0) conn->rx.landed(direct);
    parse(*conn, tail);
  }
  return conn->state != ConnState::kClosed;
}

void Engine::parse(Conn& conn, ByteView in) {
  parsing_ = &conn;
  bool more = true;
  while (more && conn.state == ConnState::kOpen) {
    switch (conn.rx.next(in, header_)) {
      case Receiver::Event::kMore:
        more = false;
        break;
      case Receiver::Event::kNoop:
      case Receiver::Event::kFrame:
        on_acks(conn);
        break;
      case Receiver::Event::kHeader:
        on_header(conn, in);
        break;
      case Receiver::Event::kVerdict:
        pause(conn, in);
        more = false;
        break;
      case Receiver::Event::kPayload:
        on_payload(conn);
        break;
      case Receiver::Event::kBadFrame:
        broken(conn, Count::kClosedBadFrame, kProtocolError);
        break;
      case Receiver::Event::kBadChecksum:
        broken(conn, Count::kClosedBadChecksum, kWrongChecksum);
        break;
      case Receiver::Event::kBadHeader:
        broken(conn, Count::kClosedBadHeader, kProtocolError);
        break;
    }
  }
  parsing_ = nullptr;
  counters_.add(Count::kCopiedIn, conn.rx.take_copied());
  if (conn.state == ConnState::kOpen && conn.rx.mid_message()) watch(*conn.peer);
}

void Engine::broken(Conn& conn, Count why, const Failure& failure) {
  report(why, conn);
  close_address(*conn.peer, conn.remote.address, failure);
}

void Engine::pause(Conn& conn, ByteView rest) {
  conn.paused = true;
  if (!rest.empty()) conn.unparsed = put_aside(rest);
  outlet_.pause(conn.self, true);
}

/// Keeps bytes that are not parsed yet. Bytes that were kept before stay where they are.
std::unique_ptr<Unparsed> Engine::put_aside(ByteView rest) {
  const auto end_of = [](ByteView bytes) { return bytes.data() + bytes.size(); };
  if (resumed_ != nullptr && end_of(resumed_->bytes) == end_of(rest)) {
    resumed_->parsed = resumed_->bytes.size() - rest.size();
    return std::move(resumed_);
  }
  std::unique_ptr<Unparsed> aside;
  if (spare_unparsed_.empty()) {
    aside = std::make_unique<Unparsed>();
  } else {
    aside = std::move(spare_unparsed_.back());
    spare_unparsed_.pop_back();
  }
  aside->bytes.assign(rest.begin(), rest.end());
  aside->parsed = 0;
  return aside;
}

/// Called when the verdict on the message being read has come, which happens once. The engine goes
/// on in work(), because this runs inside a command.
void Engine::resume(Conn& conn) {
  if (conn.paused) resume_.push_back(conn.self);
}

// ---- messages -----------------------------------------------------------------------------------

void Engine::on_header(Conn& conn, ByteView& in) {
  Peer& peer = *conn.peer;
  peer.exchanged = true;
  peer.last_message = now_;
  if (conn.user) {  // a user peer's headers are not believed (spec/wire-socklnd.md 2.2)
    header_.src_nid = peer.key.hop.nid;
    header_.src_pid = peer.key.hop.pid;
  }
  conn.routed = header_.dest_nid != conn.ni->nid;
  const auto [handle, rx] = rxs_.make();
  rx->rx = handle;
  rx->conn = &conn;
  rx->length = conn.rx.payload_length();
  conn.current = handle;
  const ByteView immediate = rx->length <= in.size() ? in.first(rx->length) : ByteView{};
  const bool whole = immediate.size() == rx->length && !conn.rx.must_be_checked();
  const core::RxTicket name = ticket(handle);
  const core::NiId ni = peer.key.ni;
  const std::uint32_t length = rx->length;
  if (!outlet_.deliver(core::HeaderArrived{ni, peer.key.hop, &header_, name, immediate, whole}))
    return;
  if (whole) counters_.add(Count::kCopiedIn, length);
  drop({ni, name, length});
}

void Engine::on_payload(Conn& conn) {
  const std::uint64_t cookie =
      conn.version == 1 ? wire::kNoCookie : wire::zero_copy_request(conn.rx.frame());
  Rx* rx = rxs_.find(conn.current);
  ULNET_ASSERT(rx != nullptr);
  const Handle current = std::exchange(conn.current, Handle{});
  const bool wrong = conn.rx.checksum_wrong();
  if (wrong) {
    conn.current = current;
    return broken(conn, Count::kClosedBadChecksum, kWrongChecksum);
  }
  if (cookie != wire::kNoCookie) queue_ack(conn, cookie);
  if (rx->state == Rx::State::kStaging) {
    rx->state = Rx::State::kStaged;
    return;
  }
  const bool wanted = rx->state == Rx::State::kLanding;
  const core::MsgTicket msg = rx->msg;
  rxs_.erase(current);
  if (wanted) landed(msg, kLanded);
}

/// Handles the ACKs in a frame. Closes the connection if one of them acknowledges a cookie that
/// is not outstanding.
void Engine::on_acks(Conn& conn) {
  Peer& peer = *conn.peer;
  const auto acks = wire::acks_of(conn.rx.frame(), conn.version);
  if (!acks) return broken(conn, Count::kClosedBadCookie, kProtocolError);
  if (acks->kind == wire::AckSet::Kind::kKeepalive)
    return counters_.add(Count::kKeepalivesReceived);
  if (acks->kind == wire::AckSet::Kind::kNone) return;
  TxList settled;
  if (!peer.ledger.settle(*acks, settled))
    return broken(conn, Count::kClosedBadCookie, kProtocolError);
  counters_.add(Count::kAcksReceived);
  finish_all(settled, kLanded);
}

void Engine::queue_ack(Conn& carrier, std::uint64_t cookie) {
  counters_.add(Count::kAcksSent);
  const bool may_block = tunables_.nonblk_zcack == 0 && !carrier.routed;
  Conn* conn = choose_for_noop(*carrier.peer, may_block);
  // If the peer has no connection for ACKs, the connection that carried the request takes the ACK
  // (spec/wire-socklnd.md 7).
  say_ack(conn == nullptr ? carrier : *conn, cookie);
}

void Engine::say_ack(Conn& conn, std::uint64_t cookie) {
  if (!conn.tx.merge_ack(cookie, style(conn))) {
    expect_progress(conn);
    Tx* noop = pool_.take();
    noop->acks = wire::NoopAcks::one(cookie);
    conn.tx.push_noop(noop);
  }
  mark_writable(conn);
}

void Engine::landed(core::MsgTicket msg, const Failure& failure) {
  outlet_.deliver(core::PayloadLanded{msg, failure.status, failure.health});
}

// ---- verdicts -----------------------------------------------------------------------------------

core::RxTicket Engine::ticket(Handle rx) const {
  return {static_cast<std::uint64_t>(rx.generation) << 32 | static_cast<std::uint64_t>(id_) << 24 |
          rx.slot};
}

Engine::Rx* Engine::find_rx(core::RxTicket ticket, Handle& handle) {
  handle = rx_handle(ticket);
  return rxs_.find(handle);
}

std::optional<ConnView> Engine::see(core::RxTicket ticket) const {
  const Rx* rx = rxs_.find(rx_handle(ticket));
  if (rx == nullptr || rx->state == Rx::State::kLost) return std::nullopt;
  return ConnView(*rx->conn);
}

void Engine::land(const core::Land& land) {
  Handle handle;
  Rx* rx = find_rx(land.rx, handle);
  if (rx == nullptr) return landed(land.msg, message_failure(kPeerClosed, true));
  rx->msg = land.msg;
  core::Region sink = land.sink;
  sink.length = std::min(sink.length, rx->length);
  switch (rx->state) {
    case Rx::State::kVerdict:
    case Rx::State::kHeldUnread:
      release_hold(*rx);
      rx->conn->rx.land(sink);
      rx->state = Rx::State::kLanding;
      return resume(*rx->conn);
    case Rx::State::kStaging: {
      // Move what is staged so far into the sink; the rest is read straight into it.
      Receiver& receiver = rx->conn->rx;
      const std::uint32_t staged = rx->length - receiver.payload_left();
      counters_.add(Count::kCopiedIn, RegionCursor(sink).fill(ByteView(rx->store.get(), staged)));
      const std::uint32_t here = std::min(staged, sink.length);
      receiver.redirect({sink.fragments, sink.count, sink.offset + here, sink.length - here});
      rx->state = Rx::State::kLanding;
      return release_hold(*rx);
    }
    case Rx::State::kStaged:
      counters_.add(Count::kCopiedIn,
                    RegionCursor(sink).fill(ByteView(rx->store.get(), rx->length)));
      release_hold(*rx);
      rxs_.erase(handle);
      return landed(land.msg, kLanded);
    case Rx::State::kLost:
      return rxs_.erase(handle);
    case Rx::State::kLanding:
    case Rx::State::kDropping:
      ULNET_ASSERT(!"a second verdict for a message");
  }
}

void Engine::drop(const core::DropPayload& drop) {
  Handle handle;
  Rx* rx = find_rx(drop.rx, handle);
  if (rx == nullptr) return;
  switch (rx->state) {
    case Rx::State::kVerdict:
    case Rx::State::kHeldUnread:
      release_hold(*rx);
      rx->conn->rx.discard();
      rx->state = Rx::State::kDropping;
      return resume(*rx->conn);
    case Rx::State::kStaging:
      rx->conn->rx.redirect({});
      rx->state = Rx::State::kDropping;
      return release_hold(*rx);
    case Rx::State::kStaged:
      release_hold(*rx);
      [[fallthrough]];
    case Rx::State::kLost:
      return rxs_.erase(handle);
    case Rx::State::kLanding:
    case Rx::State::kDropping:
      ULNET_ASSERT(!"a second verdict for a message");
  }
}

void Engine::hold(const core::HoldPayload& hold) {
  Handle handle;
  Rx* rx = find_rx(hold.rx, handle);
  if (rx == nullptr) {
    counters_.add(Count::kHeldLost);
    return landed(hold.msg, message_failure(kPeerClosed, true));
  }
  // The core had not learned yet that the message was lost.
  if (rx->state == Rx::State::kLost) return;
  ULNET_ASSERT(rx->state == Rx::State::kVerdict || rx->deferred);
  if (rx->state == Rx::State::kVerdict) {
    rx->msg = hold.msg;
    rx->state = Rx::State::kHeldUnread;
    rx->conn->held.push_back(*rx);
  }
  rx->deferred = hold.how == core::Hold::kDefer;
  if (rx->deferred) return;
  stage_or_wait(*rx);
}

void Engine::reject(const core::Reject& reject) {
  Handle handle;
  Rx* rx = find_rx(reject.rx, handle);
  if (rx == nullptr) return;
  if (rx->state == Rx::State::kLost) return rxs_.erase(handle);
  Conn& conn = *rx->conn;
  rx->state = Rx::State::kDropping;
  broken(conn, Count::kClosedRejected, kProtocolError);
}

/// The connection is closed: ends the message being read on it and its held messages.
void Engine::lose_rx(Conn& conn, const Failure& failure) {
  std::vector<Handle> lost;
  if (conn.current) lost.push_back(conn.current);
  for (const HeldMessage& held : conn.held)
    if (held.rx != conn.current) lost.push_back(held.rx);
  conn.held.clear();
  for (const Handle handle : lost) {
    Rx* rx = rxs_.find(handle);
    const core::MsgTicket msg = rx->msg;
    const bool landing = rx->state == Rx::State::kLanding;
    const bool held = rx->held();
    give_hold_memory(*rx);
    if (held) {
      counters_.add(Count::kHeldLost);
      rx->state = Rx::State::kLost;
      lost_rx_.push_back(handle);
    } else {
      rxs_.erase(handle);
    }
    if (landing || held) landed(msg, message_failure(failure, true));
  }
  conn.current = {};
  stage_held_of(*conn.peer);
}

}  // namespace ulnet::lnd::sock
