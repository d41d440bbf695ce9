#include <algorithm>
#include <cstdlib>

#include "lnet/base/limits.h"
#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

using State = IncomingMessage::State;

namespace {

/// How often the engine tries to stage messages that wait for memory, and how many at a time.
constexpr Duration kStagePause = std::chrono::milliseconds(100);
constexpr unsigned kStagesAtOnce = 64;

std::uint32_t hold_cost(std::uint32_t payload) {
  return std::max<std::uint32_t>(payload, limits::kHoldCostMin);
}

}  // namespace

/// Reserves memory for the payload of a held message, so that its connection can be read on. If
/// there is no memory, the connection is not read.
HeldPayload::Staged HeldPayload::try_stage(IncomingMessage& rx) {
  const Peer& peer = *rx.conn->peer;
  if (peer.held_bytes + hold_cost(rx.length) > limits::kHoldBytesPerPeer) return Staged::kPeerFull;
  if (!take_memory(rx)) return Staged::kNodeFull;
  rx.store_vector = {rx.store.get(), rx.length};
  rx.conn->rx.land({&rx.store_vector, 1, 0, rx.length});
  rx.state = State::kStaging;
  parts_.incoming.resume(*rx.conn);
  return Staged::kYes;
}

bool HeldPayload::take_memory(IncomingMessage& rx) {
  const std::uint32_t cost = hold_cost(rx.length);
  const Address& from = rx.conn->remote.address;
  if (parts_.outlet.take_memory(from, cost) != Share::kTaken) return false;
  rx.store.reset(static_cast<std::byte*>(std::malloc(rx.length)));
  if (rx.store == nullptr) {
    parts_.outlet.give_memory(from, cost);
    return false;
  }
  rx.cost = cost;
  rx.conn->peer->held_bytes += hold_cost(rx.length);
  return true;
}

void HeldPayload::give_memory(IncomingMessage& rx) {
  rx.store.reset();
  const std::uint32_t cost = std::exchange(rx.cost, 0);
  if (cost == 0) return;
  rx.conn->peer->held_bytes -= hold_cost(rx.length);
  parts_.outlet.give_memory(rx.conn->remote.address, cost);
  if (!waiting_.empty()) stage_at_ = parts_.now;
}

/// Memory within the peer's own limit becomes free when another message of the peer is released.
void HeldPayload::stage_or_wait(IncomingMessage& rx) {
  const Staged staged = try_stage(rx);
  if (staged == Staged::kYes) return;
  parts_.counters.add(Count::kHoldPaused);
  if (staged == Staged::kPeerFull) return;
  parts_.report(Count::kHoldShort, *rx.conn);
  waiting_.push_back(rx.conn->self);
  if (stage_at_ == kNever) stage_at_ = parts_.now + kStagePause;
}

void HeldPayload::release(IncomingMessage& rx) {
  rx.unlink();
  if (rx.cost == 0) return;
  give_memory(rx);
  stage_of(*rx.conn->peer);
}

void HeldPayload::stage_of(const Peer& peer) {
  for (Conn* conn : peer.conns) {
    IncomingMessage* other = parts_.incoming.find(conn->current);
    if (other == nullptr || other->state != State::kHeldUnread || other->deferred) continue;
    if (try_stage(*other) != Staged::kNodeFull) continue;
    waiting_.push_back(conn->self);
    stage_at_ = parts_.now;
  }
}

void HeldPayload::work() {
  if (parts_.now < stage_at_) return;
  const std::size_t turns = std::min<std::size_t>(waiting_.size(), kStagesAtOnce);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const Handle handle = waiting_.front();
    waiting_.pop_front();
    const Conn* conn = parts_.conns.find(handle);
    IncomingMessage* rx = conn == nullptr ? nullptr : parts_.incoming.find(conn->current);
    if (rx == nullptr || rx->state != State::kHeldUnread || rx->deferred) continue;
    if (try_stage(*rx) == Staged::kNodeFull) waiting_.push_back(handle);
  }
  stage_at_ = waiting_.empty() ? kNever : parts_.now + kStagePause;
}

}  // namespace ulnet::lnd::sock
