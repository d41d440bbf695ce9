// Pings destinations by their gateways to find routing loops, and keeps the routes of a loop down
// for some intervals. Source: decision 107.
#include "lnet/core/flow/routing_loops.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/portal0_requests.h"

namespace ulnet::core {

namespace {

/// A route that is part of a loop is down for this many intervals. No router can detect that the
/// loop was removed, because the pings of one router end at the next router that has found the loop
/// too.
constexpr std::int32_t kLoopIntervals = 5;

/// A NID of the gateway that is up, and an NI of this node on its net; null: there is no such NI.
std::pair<Nid, const LocalNi*> way_to(const Step& step, const KnownGateway& gateway) {
  for (const Nid& nid : view_of(step, gateway).nids()) {
    const LocalNet* const net = step.s.nis.find(nid.net());
    if (net == nullptr || !is_up(view_of(step, gateway), nid)) continue;
    const auto ni = std::ranges::find_if(net->nis, [](const LocalNi* each) { return each->up(); });
    if (ni != net->nis.end()) return {nid, *ni};
  }
  return {};
}

void ask(Step& step, const KnownGateway& gateway, RoutingLoop& loop, const Nid& destination) {
  const auto [nid, ni] = way_to(step, gateway);
  if (ni == nullptr) return;
  Portal0Md& record =
      make_record(step, Portal0Md::Kind::kLoopPing, std::vector<std::byte>(limits::kPingBufferMin));
  record.target = {destination, Pid::lustre()};
  record.source = ni->nid();
  record.gateway = gateway.nid;
  record.by_router = nid;
  record.sequence = loop.ping = ++step.s.gateways.checks;
  const Instant end = step.now + std::chrono::seconds(step.config().globals.router_ping_timeout);
  // The deadline of the REPLY is later, so that the REPLY does not count as missing: the gateway is
  // not to blame for a destination that does not answer.
  record.deadline = end + std::chrono::seconds(1);
  send_ping(step, record);
  step.s.timers.arm(record, end);
}

/// The loop that the ping checks; null: its result is not needed any more.
RoutingLoop* asked_by(Step& step, const Portal0Md& record) {
  KnownGateway* const gateway = step.s.gateways.find(record.gateway);
  if (gateway == nullptr || step.s.shut_down) return nullptr;
  RoutingLoop* const loop = gateway->find_loop(record.target.nid.net());
  return loop == nullptr || loop->ping != record.sequence ? nullptr : loop;
}

}  // namespace

void retry_loops(Step& step, KnownGateway& gateway) {
  for (RoutingLoop& loop : gateway.loops) {
    if (!loop.closed || step.now < loop.due) continue;
    loop.closed = false;
    look_at_gateways(step, {&gateway.nid, 1});
  }
}

void forget_loops(Step& step) {
  for (auto& [nid, gateway] : step.s.gateways.by_nid) {
    if (gateway.loops.empty()) continue;
    gateway.loops.clear();
    look_at_gateways(step, {&nid, 1});
  }
}

void loop_ping_ended(Step& step, const Portal0Md& record) {
  if (RoutingLoop* const loop = asked_by(step, record)) loop->ping = 0;
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::RouteFollowed& in) {
  KnownGateway* const gateway = step.s.gateways.find(in.gateway);
  if (gateway == nullptr || step.s.shut_down || !step.s.router.forwards()) return;
  const NetId net = in.destination.net();
  if (std::ranges::find(gateway->nets, net) == gateway->nets.end()) return;
  if (!is_multi_hop(view_of(step, *gateway), net)) return;  // the gateway itself is on this net
  const std::int32_t interval = step.config().globals.alive_router_check_interval;
  RoutingLoop* loop = gateway->find_loop(net);
  if (loop == nullptr) loop = &gateway->loops.emplace_back(RoutingLoop{.net = net});
  if (interval <= 0 || loop->ping != 0 || step.now < loop->due) return;
  loop->due = step.now + std::chrono::seconds(interval);
  ask(step, *gateway, *loop, in.destination);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::CameBack& in) {
  Md* const md = step.s.memory.find(in.md);
  if (md == nullptr || md->owner != MdOwner::kShard) return;
  auto& record = *static_cast<Portal0Md*>(md->user_ptr);
  if (record.kind != Portal0Md::Kind::kLoopPing) return;
  if (in.source != record.source || in.destination != record.target.nid) return;
  if (RoutingLoop* const loop = asked_by(step, record)) {
    const std::int32_t interval = step.config().globals.alive_router_check_interval;
    loop->closed = true;
    loop->due = step.now + kLoopIntervals * std::chrono::seconds(interval);
    step.note(Note::Level::kWarning, Note::About::kRoute,
              "a routing loop: a ping came back from the way to {nid}", record.target.nid);
    look_at_gateways(step, {&record.gateway, 1});
  }
  abort_once(step, record.md, -ELOOP);
}

}  // namespace ulnet::core
