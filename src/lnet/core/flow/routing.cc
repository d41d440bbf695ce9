// Turns routing on and off, step by step, and ends all forwarding when routing is off. Source:
// spec/multirail.md 9.1, spec/core-semantics.md 10.3.
#include "lnet/core/flow/routing.h"

#include "lnet/core/flow/cancel.h"
#include "lnet/core/flow/forward.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/net_visits.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/router_check.h"
#include "lnet/core/flow/routing_loops.h"

namespace ulnet::core {

namespace {

/// Ends all forwarding. A message whose payload is being received ends when the payload is complete
/// (forward_landed()). Returns the number of messages.
std::size_t end_all_forwarding(Step& step) {
  Cancelling second_legs(step);
  std::size_t all = 0;
  step.s.messages.for_each([&](Handle, Msg& msg) {
    if (!msg.routed || msg.remote.msg) return;
    ++all;
    if (msg.state == MsgState::kElsewhere)
      step.send_to_shard(msg.remote.shard, shard_msg::Recall{msg.self});
    else if (msg.outgoing)
      second_legs.add(msg);
  });
  drop_waiting_forwards(step, nullptr, DropReason::kRoutingOff);
  second_legs.end();
  return all;
}

void turn_off(Step& step) {
  resize_router(step);
  const std::size_t ended = end_all_forwarding(step);
  if (ended != 0)
    step.note(Note::Level::kWarning, Note::About::kRouter,
              "routing is off: messages that waited to be forwarded, or were in buffers, end: {}",
              {}, ended);
}

void go_on(Step& step, RoutingEvent event) {
  RouterState& router = step.s.router;
  const bool forwarded = router.forwards();
  router.on(event);
  const bool for_a_while =
      router.state == RoutingState::kStarting || router.state == RoutingState::kStopping;
  if (for_a_while)
    step.s.timers.arm(router, step.now + notice_time(step.config().globals));
  else
    router.cancel();
  if (forwarded && !router.forwards()) turn_off(step);
  if (step.s.index != kControlShard) return;
  step.s.portal0.stale = true;
  if (forwarded == router.forwards()) return;
  configure_net_visits(step);
  forget_loops(step);
}

void follow_config(Step& step) {
  const Routing& wanted = step.config().routing;
  const RoutingState state = step.s.router.state;
  const bool on = state == RoutingState::kEnabled || state == RoutingState::kStarting;
  if (wanted.on && wanted.at_once && state != RoutingState::kEnabled)
    go_on(step, RoutingEvent::kOnAtOnce);
  else if (wanted.on && !on)
    go_on(step, RoutingEvent::kOn);
  else if (!wanted.on && on)
    go_on(step, RoutingEvent::kOff);
}

}  // namespace

void configure_routing(Step& step) {
  ShardState& s = step.s;
  s.routes.apply(s.config->routes, !s.config->routing.check_before_use, s.peers);
  for (const auto& [nid, gateway] : s.routes.gateways())
    if (s.nis.find(nid) == nullptr) know(step, nid);
  follow_config(step);
  if (s.router.forwards()) resize_router(step);
  if (s.index != kControlShard) return;
  configure_gateways(step);
  if (s.router.forwards()) configure_net_visits(step);
}

void on_routing_due(Step& step) { go_on(step, RoutingEvent::kTime); }

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Recall& in) {
  bool here = false;
  Cancelling second_leg(step);
  step.s.messages.for_each([&](Handle, Msg& msg) {
    if (msg.remote.msg != in.msg || msg.remote.shard != from || !msg.outgoing) return;
    here = true;
    second_leg.add(msg);
  });
  second_leg.end();
  // The Transmit of the message may wait for a configuration. Then the Recall waits behind the
  // Transmit.
  if (!here && !step.s.early.empty()) step.s.early.push_back(ShardMsg{in});
}

}  // namespace ulnet::core
