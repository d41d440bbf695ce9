// Messages to send: whole in a short message, or their payload under a tag of its own.
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

/// Short messages to one peer that MPI may have at a time. Messages that come meanwhile share the
/// next one.
constexpr std::uint32_t kShortsAtATime = 2;

}  // namespace

void Engine::command(Command&& command) {
  std::visit([this](const auto& each) { on(each); }, command);
}

Engine::Op& Engine::make_op(Op::Kind kind, Peer& peer, OpId& id) {
  const auto [made, op] = ops_.make();
  id = made;
  op->kind = kind;
  op->peer = &peer;
  // A sender's payload moves when the peer posts its receive, a GET's data when the peer answers.
  if (kind != Op::Kind::kShort) ++peer.owes;
  watch(peer);
  return *op;
}

Engine::Out& Engine::make_out(const core::Send& send, Peer* peer) {
  const auto [self, out] = outs_.make();
  out->self = self;
  out->send = send;
  out->peer = peer;
  by_tx_.insert(send.tx, out);
  deadlines_.arm(*out, send.deadline);
  return *out;
}

void Engine::on(const core::Send& send) {
  if (Rx* rx = send.answers.value != 0 ? find(send.answers) : nullptr) return answer(send, *rx);
  const auto place = send.answers.value == 0 ? outlet_.place_of(send.hop) : std::nullopt;
  Peer* peer = place ? peer_at(*place) : nullptr;
  Out& out = make_out(send, peer);
  if (stopped_) return end(out, kShutDown, false);
  if (peer == nullptr) return end(out, send.answers.value == 0 ? kNobody : kGone, false);
  if (peer->state == Peer::State::kRefused && now_ < peer->ask_again)
    return end(out, kOtherVersion, false);
  peer->queue.push_back(out.self);
  touch(*peer);
}

/// The REPLY to a GET. If the GET came with a tag, only its data is sent, and the receive is posted
/// already. Otherwise the REPLY is a message like others.
void Engine::answer(const core::Send& send, Rx& rx) {
  Peer& peer = *rx.peer;
  Out& out = make_out(send, &peer);
  const Tag tag = rx.tag;
  const bool withdrawn = rx.withdrawn, with_tag = rx.type == MpiFrameType::kGet;
  forget(rx);
  if (withdrawn) return end(out, kCancelled, false);
  if (!with_tag) {
    peer.queue.push_back(out.self);
    return touch(peer);
  }
  out.state = Out::State::kTransfer;
  make_op(Op::Kind::kPayload, peer, out.op).out = out.self;
  add(Count::kAnswersSent);
  outlet_.send(out.op, peer.place, tag, send.payload, true);
}

void Engine::advance(Peer& peer) {
  if (peer.queue.empty()) return;
  if (peer.state == Peer::State::kUnknown ||
      (peer.state == Peer::State::kRefused && now_ >= peer.ask_again))
    ask(peer);
  if (peer.state != Peer::State::kOpen) return;
  while (!peer.queue.empty() && begin(peer, *outs_.find(peer.queue.front())))
    peer.queue.pop_front();
}

bool Engine::fits_in_batch(const Peer& peer, std::size_t bytes) const {
  if (peer.shorts < kShortsAtATime) return true;  // append() writes a full batch
  const std::size_t used = peer.batch.empty() ? wire::kMpiBatchBytes : peer.batch.size();
  return used + bytes <= peer.short_bytes;
}

bool Engine::begin(Peer& peer, Out& out) {
  const core::Send& send = out.send;
  const bool get = send.header.type() == wire::MsgType::kGet && send.sink.count != 0;
  const MpiFrame whole{MpiFrameType::kImmediate, 0, send.header, {}};
  const bool immediate = !get && wire::kMpiBatchBytes + frame_bytes(whole) <= peer.short_bytes;
  const std::size_t header = wire::kMpiFrameBytes + wire::kHeaderBytesMax;
  if (!fits_in_batch(peer, immediate ? frame_bytes(whole) : header)) return false;
  if (immediate) {
    RegionCursor(send.payload).drain(append(peer, whole));
    out.state = Out::State::kBatched;
    peer.batched.push_back(out.self);
    add(Count::kImmediateSent);
    return true;
  }
  out.tag = get ? sink_tags_.take() : payload_tags_.take();
  if (out.tag == 0) return tags_are_short_ = true, false;
  out.state = Out::State::kTransfer;
  OpId id;
  Op& op = make_op(get ? Op::Kind::kSink : Op::Kind::kPayload, peer, id);
  out.op = id;
  op.out = out.self;
  add(get ? Count::kGetsSent : Count::kLargeSent);
  if (get)
    outlet_.post(id, peer.place, out.tag, send.sink, send.sink.length);
  else
    outlet_.send(id, peer.place, out.tag, send.payload, false);
  append(peer, {get ? MpiFrameType::kGet : MpiFrameType::kLarge, out.tag, send.header, {}});
  return true;
}

ByteSpan Engine::append(Peer& peer, const MpiFrame& frame) {
  const std::size_t bytes = frame_bytes(frame);
  if (!peer.batch.empty() && peer.batch.size() + bytes > peer.short_bytes) write(peer);
  if (peer.batch.empty()) {
    peer.batch.resize(wire::kMpiBatchBytes);
    wire::encode_batch({peer.version, peer.epoch, peer.theirs}, peer.batch);
  }
  const std::size_t at = peer.batch.size();
  peer.batch.resize(at + bytes);
  return encode_frame(frame, ByteSpan(peer.batch).subspan(at));
}

void Engine::write(Peer& peer) {
  if (peer.batch.empty() || peer.state != Peer::State::kOpen || peer.shorts >= kShortsAtATime)
    return;
  OpId id;
  make_op(Op::Kind::kShort, peer, id).batched = std::exchange(peer.batched, {});
  ++peer.shorts;
  add(Count::kShortSent);
  outlet_.send_short(id, peer.place, std::exchange(peer.batch, {}));
}

void Engine::end(Out& out, const Failure& failure, bool begun) {
  due_.emplace_back(
      core::SendDone{out.send.tx, failure.status, failure.health, begun && failure.status != 0});
  by_tx_.erase(out.send.tx);
  if (out.tag != 0) {
    const bool get = out.send.header.type() == wire::MsgType::kGet;
    (get ? sink_tags_ : payload_tags_).give(out.tag);
    if (std::exchange(tags_are_short_, false))
      for (Peer& peer : peers_)
        if (!peer.queue.empty()) touch(peer);
  }
  outs_.erase(out.self);
}

// ---- giving up ----------------------------------------------------------------------------------

void Engine::withdraw(Out& out, const Failure& failure) {
  if (out.state == Out::State::kQueued) {
    std::erase(out.peer->queue, out.self);
    return end(out, failure, false);
  }
  // Short messages and answers end soon. A transfer ends when the peer has received the frame: it
  // then takes the payload and discards it, or says that no data comes.
  if (out.state == Out::State::kBatched || out.tag == 0 || out.withdrawn.status != 0) return;
  out.withdrawn = failure;
  add(Count::kWithdrawn);
  append(*out.peer, {.type = MpiFrameType::kWithdraw, .tag = out.tag});
  touch(*out.peer);
}

void Engine::on(const core::Cancel& cancel) {
  if (Out* out = by_tx_.find(cancel.tx)) withdraw(*out, kCancelled);
}

void Engine::on_deadline(Out& out) { withdraw(out, kWaitedTooLong); }

// ---- the end of operations ----------------------------------------------------------------------

void Engine::sent(OpId id, int status) {
  Op* found = ops_.find(id);
  ULNET_ASSERT(found != nullptr);
  const Op op = std::move(*found);
  ops_.erase(id);
  Peer& peer = *op.peer;
  touch(peer);
  const Failure failed{status, Health::kLocalError};
  if (op.kind == Op::Kind::kShort) {
    --peer.shorts;
    for (const Handle batched : op.batched)
      if (Out* out = outs_.find(batched)) end(*out, status == 0 ? Failure{} : failed, true);
    return;
  }
  --peer.owes;
  Out* out = outs_.find(op.out);
  ULNET_ASSERT(out != nullptr);
  if (status == 0 && op.over.status == 0) return end(*out, {}, true);
  out->tag = 0;  // the payload may still be on its way: no other one may have its tag
  end(*out,
      op.over.status != 0          ? op.over
      : out->withdrawn.status != 0 ? out->withdrawn
                                   : failed,
      true);
}

}  // namespace ulnet::lnd::mpi
