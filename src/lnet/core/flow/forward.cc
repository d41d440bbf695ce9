// Takes a message for another node into a router: router credit, buffer, payload, then the second
// leg. Drops messages that wait, and changes the sizes of pools and router credits. Source:
// spec/core-semantics.md 10.3, spec/multirail.md 9.7.
#include "lnet/core/flow/forward.h"

#include <array>
#include <utility>
#include <vector>

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/forwarded.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

Region region_in(const Msg& msg) { return {&msg.buffer->whole, 1, 0, msg.header.payload_length}; }

/// Begins the second leg, to the next hop. The message is in memory, and the driver keeps nothing
/// of it.
void send_on(Step& step, Msg& msg) {
  count_payload(*msg.ni, msg.header);
  account_success(step, *msg.ni, *msg.peer, true);
  leave_path(step, msg);
  msg.outgoing = true;
  msg.hop = {};
  msg.rx = {};
  msg.rx_ni = {};
  if (msg.buffer != nullptr) msg.memory = region_in(msg);
  msg.target = msg.header.dest_nid;
  send_on_new_path(step, msg);
}

/// Receives the payload of a message that has a buffer.
void land_in_buffer(Step& step, Msg& msg) {
  if (msg.header.payload_length == 0) {
    step.act<DropPayload>(msg.rx_ni, msg.rx, 0U);
    if (msg.state == MsgState::kBuffered) msg.on(MsgEvent::kRetry);
    return send_on(step, msg);
  }
  msg.on(MsgEvent::kLand);
  Region whole = region_in(msg);
  step.act<Land>(msg.rx_ni, msg.rx, msg.self, whole, msg.rlength);
}

/// Lets the host copy the payload before it carries out the Send, if the payload is short and in
/// memory. Returns whether it does.
bool copy_at_once(Step& step, const Arrival& a, const Msg& msg) {
  const std::uint32_t length = msg.header.payload_length;
  if (!a.in.whole || length == 0 || length > limits::kCopyAtOnce) return false;
  step.act<CopyPayload>(a.in.immediate, ByteSpan(msg.buffer->bytes.get(), length));
  drop_payload(step, a.in, length);
  return true;
}

/// Notes that messages begin to wait in a router, at most once a second for each reason.
[[gnu::noinline]] void note_short(Step& step, std::size_t what, const Gate& gate, const Nid& from) {
  constexpr std::array kWords = {"messages without payload wait for buffers of this router: {}",
                                 "messages of 4 KiB at most wait for buffers of this router: {}",
                                 "messages of 1 MiB at most wait for buffers of this router: {}",
                                 "messages of the neighbour wait for its router credits: {}"};
  Instant& until = step.s.router.shortage_quiet_until[what];
  if (step.now < until) return;
  until = step.now + std::chrono::seconds(1);
  step.note(Note::Level::kUnlogged, Note::About::kRouter, kWords[what], from,
            static_cast<std::uint64_t>(gate.waiting()));
}

/// Makes the driver wait: it reads no more from the connection until the message goes on.
void wait(Step& step, Msg& msg) {
  if (msg.staged) return;  // its driver waits already
  msg.deferred = true;
  step.act<HoldPayload>(msg.rx_ni, msg.rx, msg.self, Hold::kDefer);
}

void resize_pools(Step& step) {
  const Routing& routing = step.config().routing;
  for (const auto kind : {RouterPools::kTiny, RouterPools::kSmall, RouterPools::kLarge}) {
    RouterPool& pool = step.s.pools[kind];
    const std::int32_t buffers =
        step.s.router.forwards() ? buffers_of_shard(routing.buffers[kind], routing.standard[kind],
                                                    step.s.placement.shards())
                                 : 0;
    if (pool.gate().max() == buffers) continue;
    pool.resize(buffers);
    while (Msg* next = pool.wake()) with_buffer(step, *next);
  }
}

void resize_router_credits(Step& step) {
  step.s.peers.for_each_ni([&](PeerNi& ni) {
    Gate* const gate = step.s.peers.router_gate(ni);
    const std::int32_t credits = gate == nullptr ? 0 : router_credits_for(step.s, ni.nid);
    if (gate == nullptr || gate->max() == credits) return;
    gate->resize(credits);
    while (Msg* next = gate->wake()) with_router_credit(step, *next);
  });
}

}  // namespace

void forward(Step& step, const Arrival& a) {
  Msg& msg = make_incoming(step, a);
  msg.routed = true;
  msg.from = a.peer;
  ++a.peer->in_flight;
  Gate* gate = step.s.peers.router_gate(*a.peer);
  if (gate == nullptr)
    gate = &step.s.peers.use_router_gate(*a.peer, router_credits_for(step.s, a.peer->nid));
  if (!gate->take(msg)) {
    msg.on(MsgEvent::kNoRouterCredit);
    note_short(step, RouterPools::kKinds, *gate, a.peer->nid);
    return wait(step, msg);
  }
  msg.has_router_credit = true;
  const auto kind = RouterPools::kind_for(msg.header.payload_length);
  RouterPool& pool = step.s.pools[kind];
  if (!pool.take(msg)) {
    msg.on(MsgEvent::kNoBuffer);
    note_short(step, kind, pool.gate(), a.peer->nid);
    return wait(step, msg);
  }
  msg.has_buffer = true;
  copy_at_once(step, a, msg) ? send_on(step, msg) : land_in_buffer(step, msg);
}

void forward_landed(Step& step, Msg& msg, int status, Health health) {
  if (status == 0) {
    msg.on(MsgEvent::kRetry);
    return send_on(step, msg);
  }
  if (account_failure(step, msg, health)) blame_ni(step, *msg.ni, health);
  end_forwarding(step, msg, status);
}

bool waits_to_be_forwarded(const Msg& msg) {
  return msg.state == MsgState::kRouterQueue || msg.state == MsgState::kBufferQueue ||
         msg.state == MsgState::kBuffered;
}

void drop_forwarding(Step& step, Msg& msg, DropReason reason) {
  if (msg.state == MsgState::kRouterQueue)
    step.s.peers.router_gate(*msg.from)->leave(msg);
  else if (msg.state == MsgState::kBufferQueue)
    step.s.pools.for_payload(msg.header.payload_length).leave(msg);
  else
    step.s.buffered.erase(step.s.buffered.iterator_to(msg));
  if (!msg.rx_lost) step.act<DropPayload>(msg.rx_ni, msg.rx, msg.header.payload_length);
  count_drop(step, msg.ni, msg.header, reason);
  msg.on(MsgEvent::kEnd);
  leave_router(step, msg);
}

void drop_waiting_forwards(Step& step, const LocalNi* ni, DropReason reason) {
  std::vector<MsgTicket> waiting;
  step.s.messages.for_each([&](Handle, const Msg& msg) {
    if (waits_to_be_forwarded(msg) && (ni == nullptr || msg.ni == ni)) waiting.push_back(msg.self);
  });
  // A dropped message may give its credit to the next one, which is then dropped as well.
  for (const MsgTicket self : waiting) drop_forwarding(step, *step.s.find(self), reason);
}

void run_forwarding(Step& step) {
  while (!step.s.buffered.empty()) {
    Msg& msg = step.s.buffered.front();
    step.s.buffered.pop_front();
    land_in_buffer(step, msg);
  }
}

void resize_router(Step& step) {
  resize_pools(step);
  resize_router_credits(step);
}

}  // namespace ulnet::core
