#include "core/flow/routing.h"

#include <vector>

#include "core/flow/forward.h"
#include "core/flow/gateway_news.h"
#include "core/flow/net_visits.h"
#include "core/flow/peers.h"
#include "core/flow/router_check.h"
#include "core/flow/transmission.h"

namespace ulnet::core {

namespace {

/// The second legs of messages are under way in this shard: ends them, or asks the driver to.
void end_second_legs(Step& step, const std::vector<Msg*>& messages) {
  std::vector<MsgTicket> waiting, without_path;
  // First all of them leave their queues: else one that ends could give its credit to another.
  for (Msg* msg : messages) {
    if (waits_for_credit(*msg)) leave_queue(step, *msg);
    if (msg->state == MsgState::kSending)
      step.out.emplace_back(std::in_place_type<Cancel>,
                            Cancel{msg->ni->config.id, msg->hop, msg->self});
    else if (msg->state == MsgState::kConfigQueue)
      without_path.push_back(msg->self);
    else
      waiting.push_back(msg->self);
  }
  for (const MsgTicket self : waiting)
    if (Msg* msg = step.s.find(self)) end_transmission(step, *msg, -ECANCELED, Health::kOk);
  for (const MsgTicket self : without_path) {
    Msg& msg = *step.s.find(self);
    step.s.path_waiters.leave(msg);
    end_without_path(step, msg, -ECANCELED);
  }
}

/// Nothing is forwarded any more. Messages whose payload comes in end when it is in
/// (forward_landed()). How many messages that concerns.
std::size_t end_all_forwarding(Step& step) {
  std::vector<Msg*> sent_here;
  std::size_t all = 0;
  step.s.messages.for_each([&](Handle, Msg& msg) {
    if (!msg.routed || msg.remote.msg) return;
    ++all;
    if (msg.state == MsgState::kElsewhere)
      step.send_letter(msg.remote.shard, letter::Recall{msg.self});
    else if (msg.outgoing)
      sent_here.push_back(&msg);
  });
  drop_waiting_forwards(step, nullptr, DropReason::kRoutingOff);
  end_second_legs(step, sent_here);
  return all;
}

void turn_off(Step& step) {
  resize_router(step);
  const std::size_t ended = end_all_forwarding(step);
  if (ended != 0)
    step.note(Note::Level::kWarning,
              "routing is off: messages that waited to be forwarded, or were in buffers, end", {},
              ended);
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
  if (forwarded != router.forwards()) configure_net_visits(step);
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

void on_letter(Step& step, std::uint32_t from, const letter::Recall& in) {
  if (!step.s.early.empty()) return step.s.early.push_back(Letter{in});
  std::vector<Msg*> found;
  step.s.messages.for_each([&](Handle, Msg& msg) {
    if (msg.remote.msg == in.msg && msg.remote.shard == from && msg.outgoing) found.push_back(&msg);
  });
  end_second_legs(step, found);
}

}  // namespace ulnet::core
