// Messages that came in: what the core decides about them is carried out.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "lnet/base/assert.h"
#include "lnet/lnd/mpi/engine/engine.h"
#include "lnet/lnd/region.h"

namespace ulnet::lnd::mpi {
namespace {

using core::Health;
using wire::MpiFrame;
using wire::MpiFrameType;

core::RxTicket ticket_of(Handle rx) { return {std::uint64_t{rx.generation} << 32 | rx.slot}; }

}  // namespace

Engine::Rx* Engine::find(core::RxTicket rx) {
  return rxs_.find(
      {static_cast<std::uint32_t>(rx.value), static_cast<std::uint32_t>(rx.value >> 32)});
}

void Engine::forget(Rx& rx) {
  if (rx.tag != 0) rx.peer->transfers.erase(rx.tag);
  rxs_.erase(rx.self);
}

void Engine::arrived(const Place& from, ByteView message) {
  add(Count::kShortReceived);
  Peer* peer = stopped_ ? nullptr : peer_at(from);
  if (peer == nullptr) return add(Count::kRefusedStranger);
  peer->heard = now_;
  peer->asked_alive = kNever;
  if (wire::is_greeting(message)) return on_greeting(*peer, message);
  on_batch(*peer, message);
}

void Engine::on_batch(Peer& peer, ByteView message) {
  const auto refuse = [&](wire::DecodeError error) {
    add(Count::kRefusedFrame);
    peer.trouble = std::string("it broke the protocol: ") + to_string(error);
    outlet_.warn(peer.place, "broke the protocol: " + std::string(to_string(error)));
    close(peer, kProtocolError, false);
  };
  ByteView rest;
  const auto batch = wire::decode_batch(message, rest);
  if (!batch) return refuse(batch.error());
  const auto current = [&] {
    return peer.state == Peer::State::kOpen && batch->epoch == peer.theirs &&
           batch->addressee == peer.epoch;
  };
  if (!current()) {
    add(Count::kRefusedStale);
    // This side has forgotten the peer, which does not know that yet: a query shows it.
    if (peer.state == Peer::State::kUnknown) ask(peer);
    return;
  }
  if (batch->version != peer.version) return refuse(wire::DecodeError::kBadVersion);
  while (!rest.empty() && current()) {
    const auto frame = wire::take_frame(rest);
    if (!frame) return refuse(frame.error());
    if (!on_frame(peer, *frame)) return refuse(wire::DecodeError::kBadCookie);
  }
}

/// False: the frame names a transfer that cannot be.
bool Engine::on_frame(Peer& peer, const MpiFrame& frame) {
  switch (frame.type) {
    case MpiFrameType::kImmediate:
      break;
    case MpiFrameType::kLarge:
    case MpiFrameType::kGet:
      if (frame.tag == kShortTag || frame.tag > options_.tag_max ||
          peer.transfers.contains(frame.tag) ||
          (frame.type == MpiFrameType::kGet) != (frame.tag % 2 == 1))
        return false;
      break;
    case MpiFrameType::kWithdraw:
      on_withdraw(peer, frame.tag);
      return true;
    case MpiFrameType::kNoData:
      on_no_data(peer, frame.tag);
      return true;
    case MpiFrameType::kAlive:
      append(peer, {.type = MpiFrameType::kAliveToo});
      touch(peer);
      return true;
    case MpiFrameType::kAliveToo:
      return true;  // arrived() has noted it
  }
  on_message(peer, frame);
  return true;
}

void Engine::on_message(Peer& peer, const MpiFrame& frame) {
  deliver_due();  // what happened before comes first: the peer is up, an earlier message has ended
  const auto [self, rx] = rxs_.make();
  rx->self = self;
  rx->peer = &peer;
  rx->type = frame.type;
  rx->tag = frame.tag;
  rx->length = frame.header.payload_length;
  rx->payload = frame.payload;
  if (frame.tag != 0) peer.transfers.emplace(frame.tag, self);
  const bool whole = frame.type != MpiFrameType::kLarge;
  const bool done = outlet_.deliver(
      core::HeaderArrived{ni_, peer.hop, &frame.header, ticket_of(self), frame.payload, whole});
  Rx* left = rxs_.find(self);
  if (left == nullptr) return;
  if (done) return on(core::DropPayload{ni_, ticket_of(self), left->length});
  if (left->type == MpiFrameType::kImmediate)
    left->kept.assign(frame.payload.begin(), frame.payload.end());
  left->payload = left->kept;
}

// ---- what the core decides ----------------------------------------------------------------------

void Engine::on(const core::Land& land) {
  Rx* rx = find(land.rx);
  if (rx == nullptr) {
    due_.emplace_back(core::PayloadLanded{land.msg, kGone.status, kGone.health});
    return;
  }
  Peer& peer = *rx->peer;
  if (rx->type != MpiFrameType::kLarge) {
    RegionCursor(land.sink).fill(
        rx->payload.first(std::min<std::size_t>(land.sink.length, rx->payload.size())));
    due_.emplace_back(core::PayloadLanded{land.msg});
    return forget(*rx);
  }
  const Tag tag = rx->tag;
  const std::uint32_t length = rx->length;
  forget(*rx);
  receive(peer, Op::Kind::kLanding, tag, land.sink, length, land.msg);
}

void Engine::receive(Peer& peer, Op::Kind kind, Tag tag, const core::Region& sink,
                     std::uint32_t length, core::MsgTicket msg) {
  OpId id;
  Op& op = make_op(kind, peer, id);
  op.msg = msg;
  op.length = length;
  op.tag = tag;
  peer.transfers[tag] = Handle{};
  outlet_.post(id, peer.place, tag, sink, length);
}

void Engine::on(const core::HoldPayload& hold) {
  if (Rx* rx = find(hold.rx)) {
    rx->msg = hold.msg;
    return;
  }
  due_.emplace_back(core::PayloadLanded{hold.msg, kGone.status, kGone.health});
}

void Engine::on(const core::DropPayload& drop) {
  Rx* rx = find(drop.rx);
  if (rx == nullptr) return;
  Peer& peer = *rx->peer;
  const Tag tag = rx->tag;
  const std::uint32_t length = rx->length;
  const MpiFrameType type = rx->type;
  const bool withdrawn = rx->withdrawn;
  forget(*rx);
  // Nobody wants the payload, but its sender ends only when it is received.
  if (type == MpiFrameType::kLarge) return receive(peer, Op::Kind::kDrain, tag, {}, length);
  if (type != MpiFrameType::kGet || withdrawn) return;
  append(peer, {.type = MpiFrameType::kNoData, .tag = tag});
  touch(peer);
}

void Engine::on(const core::Reject& reject) {
  Rx* rx = find(reject.rx);
  if (rx == nullptr) return;
  Peer& peer = *rx->peer;
  forget(*rx);
  peer.trouble = std::string("it broke the protocol: ") + reject.reason;
  close(peer, kProtocolError, false);
}

// ---- what the peer gives up ---------------------------------------------------------------------

void Engine::on_withdraw(Peer& peer, Tag tag) {
  const auto at = peer.transfers.find(tag);
  Rx* found = at != peer.transfers.end() ? rxs_.find(at->second) : nullptr;
  if (found == nullptr) return;  // it is landing, or was dealt with
  Rx& rx = *found;
  if (rx.type == MpiFrameType::kGet) {
    if (std::exchange(rx.withdrawn, true)) return;
    append(peer, {.type = MpiFrameType::kNoData, .tag = tag});
    return touch(peer);
  }
  if (rx.msg.generation != 0)
    due_.emplace_back(core::PayloadLanded{rx.msg, kGivenUp.status, kGivenUp.health});
  const std::uint32_t length = rx.length;
  forget(rx);
  receive(peer, Op::Kind::kDrain, tag, {}, length);
}

void Engine::on_no_data(Peer& peer, Tag tag) {
  OpId waiting;
  ops_.for_each([&](OpId id, const Op& op) {
    const Out* out = op.kind == Op::Kind::kSink && op.peer == &peer ? outs_.find(op.out) : nullptr;
    if (out != nullptr && out->tag == tag) waiting = id;
  });
  if (waiting) outlet_.cancel(waiting);
}

// ---- the end of operations ----------------------------------------------------------------------

void Engine::received(OpId id, int status, std::uint32_t bytes) {
  Op* found = ops_.find(id);
  ULNET_ASSERT(found != nullptr);
  const Op op = std::move(*found);
  ops_.erase(id);
  Peer& peer = *op.peer;
  --peer.owes;
  if (op.kind != Op::Kind::kSink) peer.transfers.erase(op.tag);
  if (op.over.status == 0) peer.heard = now_;
  const Failure failed = op.over.status != 0 ? op.over : Failure{status, Health::kLocalError};
  if (op.kind == Op::Kind::kSink) {
    Out* out = outs_.find(op.out);
    ULNET_ASSERT(out != nullptr);
    if (status == 0 && op.over.status == 0) {
      due_.emplace_back(core::ReplyLanded{out->send.tx, 0, bytes});
      return end(*out, {}, true);
    }
    const bool refused = status == -ECANCELED && op.over.status == 0;
    if (!refused) out->tag = 0;  // the data may still be on its way: no other may have its tag
    return end(*out,
               out->withdrawn.status != 0 && op.over.status == 0 ? out->withdrawn
               : refused                                         ? kGivenUp
                                                                 : failed,
               true);
  }
  const bool ok = status == 0 && op.over.status == 0;
  const bool whole = ok && bytes == op.length;
  if (op.kind == Op::Kind::kLanding) {
    const Failure end = whole ? Failure{} : ok ? kProtocolError : failed;
    due_.emplace_back(core::PayloadLanded{op.msg, end.status, end.health});
  }
  if (ok && !whole) close(peer, kProtocolError, false);
}

}  // namespace ulnet::lnd::mpi
