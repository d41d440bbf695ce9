#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/sock/engine/conn_choice.h"
#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

using State = IncomingMessage::State;

namespace {

constexpr Failure kLanded{};
/// How many bytes to read behind the current message while the node has no memory for held payload.
/// The engine keeps the bytes that it read from a connection before it paused it, so they take
/// memory too.
constexpr std::size_t kAheadWhenShort = 4096;

Handle handle_of(core::RxTicket ticket) {
  return {static_cast<std::uint32_t>(ticket.value & 0xffffff),
          static_cast<std::uint32_t>(ticket.value >> 32)};
}

}  // namespace

// ---- bytes --------------------------------------------------------------------------------------

std::size_t IncomingMessages::read_plan(Handle handle, iovec* out, std::size_t max,
                                        std::size_t& direct, std::size_t& ahead) {
  direct = 0;
  const Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->paused || conn->state == ConnState::kClosed) {
    ahead = 0;
    return 0;
  }
  if (conn->state != ConnState::kOpen) return 0;
  const std::size_t used = conn->rx.direct(out, max, direct);
  // If the vectors do not reach the end of the sink, no bytes may be read behind them.
  ahead = used == max ? 0 : conn->rx.read_ahead(ahead);
  if (parts_.held.is_short()) ahead = std::min(ahead, kAheadWhenShort);
  return used;
}

void IncomingMessages::received(Conn& conn, std::size_t direct, ByteView tail) {
  conn.peer->last_heard = parts_.now;
  if (direct != 0) conn.rx.landed(direct);
  parse(conn, tail);
}

void IncomingMessages::parse(Conn& conn, ByteView in) {
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
  parts_.counters.add(Count::kCopiedIn, conn.rx.take_copied());
  if (conn.state == ConnState::kOpen && conn.rx.mid_message()) parts_.watch.watch(*conn.peer);
}

void IncomingMessages::broken(Conn& conn, Count why, const Failure& failure) {
  parts_.report(why, conn);
  parts_.closer.close_address(*conn.peer, conn.remote.address, failure);
}

void IncomingMessages::pause(Conn& conn, ByteView rest) {
  conn.paused = true;
  if (!rest.empty()) conn.unparsed = put_aside(rest);
  parts_.outlet.pause(conn.self, true);
}

/// Keeps bytes that are not parsed yet. Bytes that were kept before stay where they are.
std::unique_ptr<Unparsed> IncomingMessages::put_aside(ByteView rest) {
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

void IncomingMessages::resume(Conn& conn) {
  if (conn.paused) resume_.push_back(conn.self);
}

/// Resumes paused connections whose message has got its verdict: first parses the bytes that were
/// read before the pause.
void IncomingMessages::work() {
  resuming_.swap(resume_);
  for (const Handle handle : resuming_) {
    Conn* conn = parts_.conns.find(handle);
    if (conn == nullptr || conn->state != ConnState::kOpen) continue;
    conn->paused = false;
    conn->last_rx = parts_.now;  // time in which the connection was paused does not count
    resumed_ = std::move(conn->unparsed);
    parts_.incoming.parse(*conn, resumed_ == nullptr ? ByteView() : resumed_->rest());
    if (resumed_ != nullptr && spare_unparsed_.size() < kSpareUnparsed)
      spare_unparsed_.push_back(std::move(resumed_));
    resumed_ = nullptr;
    if (conn->state == ConnState::kOpen && !conn->paused) parts_.outlet.pause(handle, false);
  }
  resuming_.clear();
}

// ---- messages -----------------------------------------------------------------------------------

void IncomingMessages::on_header(Conn& conn, ByteView& in) {
  Peer& peer = *conn.peer;
  peer.exchanged = true;
  peer.last_message = parts_.now;
  if (conn.user) {  // a user peer's headers are not believed (spec/wire-socklnd.md 2.2)
    header_.src_nid = peer.key.hop.nid;
    header_.src_pid = peer.key.hop.pid;
  }
  conn.routed = header_.dest_nid != conn.ni->nid;
  const auto [handle, rx] = messages_.make();
  rx->rx = handle;
  rx->conn = &conn;
  rx->length = conn.rx.payload_length();
  conn.current = handle;
  const ByteView immediate = rx->length <= in.size() ? in.first(rx->length) : ByteView{};
  const bool whole = immediate.size() == rx->length && !conn.rx.must_be_checked();
  const core::RxTicket name = ticket(handle);
  const core::NiId ni = peer.key.ni;
  const std::uint32_t length = rx->length;
  if (!parts_.outlet.deliver(
          core::HeaderArrived{ni, peer.key.hop, &header_, name, immediate, whole}))
    return;
  if (whole) parts_.counters.add(Count::kCopiedIn, length);
  drop({ni, name, length});
}

void IncomingMessages::on_payload(Conn& conn) {
  const std::uint64_t cookie =
      conn.version == 1 ? wire::kNoCookie : wire::zero_copy_request(conn.rx.frame());
  IncomingMessage* rx = find(conn.current);
  ULNET_ASSERT(rx != nullptr);
  const Handle current = std::exchange(conn.current, Handle{});
  const bool wrong = conn.rx.checksum_wrong();
  if (wrong) {
    conn.current = current;
    return broken(conn, Count::kClosedBadChecksum, kWrongChecksum);
  }
  if (cookie != wire::kNoCookie) parts_.outgoing.queue_ack(conn, cookie);
  if (rx->state == State::kStaging) {
    rx->state = State::kStaged;
    return;
  }
  const bool wanted = rx->state == State::kLanding;
  const core::MsgTicket msg = rx->msg;
  messages_.erase(current);
  if (wanted) landed(msg, kLanded);
}

/// Handles the ACKs in a frame. Closes the connection if one of them acknowledges a cookie that
/// is not outstanding.
void IncomingMessages::on_acks(Conn& conn) {
  Peer& peer = *conn.peer;
  const auto acks = wire::acks_of(conn.rx.frame(), conn.version);
  if (!acks) return broken(conn, Count::kClosedBadCookie, kProtocolError);
  if (acks->kind == wire::AckSet::Kind::kKeepalive)
    return parts_.counters.add(Count::kKeepalivesReceived);
  if (acks->kind == wire::AckSet::Kind::kNone) return;
  TxList settled;
  if (!peer.ledger.settle(*acks, settled))
    return broken(conn, Count::kClosedBadCookie, kProtocolError);
  parts_.counters.add(Count::kAcksReceived);
  parts_.outgoing.finish_all(settled, kLanded);
}

void IncomingMessages::landed(core::MsgTicket msg, const Failure& failure) {
  parts_.outlet.deliver(core::PayloadLanded{msg, failure.status, failure.health});
}

// ---- verdicts -----------------------------------------------------------------------------------

core::RxTicket IncomingMessages::ticket(Handle rx) const {
  return {static_cast<std::uint64_t>(rx.generation) << 32 | static_cast<std::uint64_t>(id_) << 24 |
          rx.slot};
}

IncomingMessage* IncomingMessages::find_rx(core::RxTicket ticket, Handle& handle) {
  handle = handle_of(ticket);
  return messages_.find(handle);
}

std::optional<ConnView> IncomingMessages::see(core::RxTicket ticket) const {
  const IncomingMessage* rx = messages_.find(handle_of(ticket));
  if (rx == nullptr || rx->state == State::kLost) return std::nullopt;
  return ConnView(*rx->conn);
}

void IncomingMessages::land(const core::Land& land) {
  Handle handle;
  IncomingMessage* rx = find_rx(land.rx, handle);
  if (rx == nullptr) return landed(land.msg, message_failure(kPeerClosed, true));
  rx->msg = land.msg;
  core::Region sink = land.sink;
  sink.length = std::min(sink.length, rx->length);
  switch (rx->state) {
    case State::kVerdict:
    case State::kHeldUnread:
      parts_.held.release(*rx);
      rx->conn->rx.land(sink);
      rx->state = State::kLanding;
      return resume(*rx->conn);
    case State::kStaging: {
      // Move what is staged so far into the sink; the rest is read straight into it.
      Receiver& receiver = rx->conn->rx;
      const std::uint32_t staged = rx->length - receiver.payload_left();
      parts_.counters.add(Count::kCopiedIn,
                          RegionCursor(sink).fill(ByteView(rx->store.get(), staged)));
      const std::uint32_t here = std::min(staged, sink.length);
      receiver.redirect({sink.fragments, sink.count, sink.offset + here, sink.length - here});
      rx->state = State::kLanding;
      return parts_.held.release(*rx);
    }
    case State::kStaged:
      parts_.counters.add(Count::kCopiedIn,
                          RegionCursor(sink).fill(ByteView(rx->store.get(), rx->length)));
      parts_.held.release(*rx);
      messages_.erase(handle);
      return landed(land.msg, kLanded);
    case State::kLost:
      return messages_.erase(handle);
    case State::kLanding:
    case State::kDropping:
      ULNET_ASSERT(!"a second verdict for a message");
  }
}

void IncomingMessages::drop(const core::DropPayload& drop) {
  Handle handle;
  IncomingMessage* rx = find_rx(drop.rx, handle);
  if (rx == nullptr) return;
  switch (rx->state) {
    case State::kVerdict:
    case State::kHeldUnread:
      parts_.held.release(*rx);
      rx->conn->rx.discard();
      rx->state = State::kDropping;
      return resume(*rx->conn);
    case State::kStaging:
      rx->conn->rx.redirect({});
      rx->state = State::kDropping;
      return parts_.held.release(*rx);
    case State::kStaged:
      parts_.held.release(*rx);
      [[fallthrough]];
    case State::kLost:
      return messages_.erase(handle);
    case State::kLanding:
    case State::kDropping:
      ULNET_ASSERT(!"a second verdict for a message");
  }
}

void IncomingMessages::hold(const core::HoldPayload& hold) {
  Handle handle;
  IncomingMessage* rx = find_rx(hold.rx, handle);
  if (rx == nullptr) {
    parts_.counters.add(Count::kHeldLost);
    return landed(hold.msg, message_failure(kPeerClosed, true));
  }
  // The core had not learned yet that the message was lost.
  if (rx->state == State::kLost) return;
  ULNET_ASSERT(rx->state == State::kVerdict || rx->deferred);
  if (rx->state == State::kVerdict) {
    rx->msg = hold.msg;
    rx->state = State::kHeldUnread;
    rx->conn->held.push_back(*rx);
  }
  rx->deferred = hold.how == core::Hold::kDefer;
  if (rx->deferred) return;
  parts_.held.stage_or_wait(*rx);
}

void IncomingMessages::reject(const core::Reject& reject) {
  Handle handle;
  IncomingMessage* rx = find_rx(reject.rx, handle);
  if (rx == nullptr) return;
  if (rx->state == State::kLost) return messages_.erase(handle);
  Conn& conn = *rx->conn;
  rx->state = State::kDropping;
  broken(conn, Count::kClosedRejected, kProtocolError);
}

void IncomingMessages::drained() {
  for (const Handle rx : lost_before_)
    if (messages_.find(rx) != nullptr) messages_.erase(rx);
  lost_before_ = std::exchange(lost_, {});
}

void IncomingMessages::lose(Conn& conn, const Failure& failure) {
  std::vector<Handle> lost;
  if (conn.current) lost.push_back(conn.current);
  for (const HeldMessage& held : conn.held)
    if (held.rx != conn.current) lost.push_back(held.rx);
  conn.held.clear();
  for (const Handle handle : lost) {
    IncomingMessage* rx = messages_.find(handle);
    const core::MsgTicket msg = rx->msg;
    const bool landing = rx->state == State::kLanding;
    const bool held = rx->held();
    parts_.held.give_memory(*rx);
    if (held) {
      parts_.counters.add(Count::kHeldLost);
      rx->state = State::kLost;
      lost_.push_back(handle);
    } else {
      messages_.erase(handle);
    }
    if (landing || held) landed(msg, message_failure(failure, true));
  }
  conn.current = {};
  parts_.held.stage_of(*conn.peer);
}

}  // namespace ulnet::lnd::sock
