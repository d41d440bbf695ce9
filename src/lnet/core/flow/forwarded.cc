// Ends a forwarded message: counts it, and gives its buffer and its router credit to the messages
// that wait for them. Source: spec/core-semantics.md 9, 10.3.
#include "lnet/core/flow/forwarded.h"

#include <utility>

#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/peers.h"

namespace ulnet::core {

void with_buffer(Step& step, Msg& msg) {
  msg.on(MsgEvent::kBuffer);
  msg.has_buffer = true;
  step.s.buffered.push_back(msg);
}

void with_router_credit(Step& step, Msg& msg) {
  msg.has_router_credit = true;
  if (step.s.pools.for_payload(msg.header.payload_length).take(msg)) return with_buffer(step, msg);
  msg.on(MsgEvent::kNoBuffer);
}

void leave_router(Step& step, Msg& msg) {
  if (std::exchange(msg.has_buffer, false)) {
    RouterPool& pool = step.s.pools.for_payload(msg.header.payload_length);
    if (Msg* next = pool.give(msg)) with_buffer(step, *next);
  }
  PeerNi* const from = std::exchange(msg.from, nullptr);
  if (std::exchange(msg.has_router_credit, false))
    if (Msg* next = step.s.peers.router_gate(*from)->give()) with_router_credit(step, *next);
  --from->in_flight;
  forget_if_unmet(step.s, *from);
  release_message(step, msg);
}

namespace {

/// A router discovers a neighbour when it has forwarded a message to it, so that it can redirect
/// later messages for that neighbour (spec/multirail.md 3.1). Forwarded messages do not wait for
/// the discovery, as the router's own messages do: otherwise a neighbour that does not answer would
/// keep router buffers and credits from others.
void discover_target(Step& step, const Msg& msg) {
  if (msg.hop.nid != msg.target || msg.header.dest_pid.is_user()) return;
  if (step.config().globals.discovery == 0 || step.s.shut_down) return;
  PeerNid& target = know(step, msg.target);
  if (!target.discovered) want_discovery(step, target, msg.header.dest_pid);
}

}  // namespace

void end_forwarding(Step& step, Msg& msg, int status) {
  GlobalStats& global = step.s.counters.global;
  if (status == 0) {
    discover_target(step, msg);
    ++global.route_count;
    global.route_length += msg.header.payload_length;
  } else {
    ++global.errors;
    const bool turned_off = status == -ECANCELED && !step.s.router.forwards();
    step.s.counters.drop(turned_off ? DropReason::kRoutingOff : DropReason::kNotForwarded);
  }
  msg.on(MsgEvent::kEnd);
  leave_router(step, msg);
}

}  // namespace ulnet::core
