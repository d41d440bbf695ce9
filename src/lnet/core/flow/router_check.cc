// Pings each gateway once per interval on each net that it shares with this node, and takes over
// the answers and the failures. Source: spec/multirail.md 9.4, decision 107.
#include "lnet/core/flow/router_check.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/discovery.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/portal0_requests.h"
#include "lnet/core/flow/routing_loops.h"

namespace ulnet::core {

namespace {

/// Finds the nets that this node and the gateway share, as far as the gateway's nets are known.
/// Nets of the last check keep their results.
void find_near(Step& step, KnownGateway& gateway) {
  std::vector<KnownGateway::Near> near;
  for (const Nid& nid : view_of(step, gateway).nids()) {
    const NetId net = nid.net();
    const bool listed =
        std::any_of(near.begin(), near.end(), [&](const auto& each) { return each.net == net; });
    if (listed || step.s.nis.find(net) == nullptr) continue;
    const KnownGateway::Near* before = gateway.find(net);
    near.push_back(before == nullptr ? KnownGateway::Near{net} : *before);
  }
  gateway.near = std::move(near);
}

/// The next of the gateway's NIDs on the net, in turn.
Nid next_on(const Step& step, const KnownGateway& gateway, KnownGateway::Near& near) {
  std::vector<Nid> there;
  for (const Nid& nid : view_of(step, gateway).nids())
    if (nid.net() == near.net) there.push_back(nid);
  return there[near.turn++ % there.size()];
}

/// Returns the NID of an NI that has not lost the gateway, if another NI of this node has; else
/// any.
Nid other_ni(const Step& step, const KnownGateway::Near& near) {
  if (near.losses.empty()) return {};
  const LocalNi* const ni = near.losses.spared(*step.s.nis.find(near.net));
  return ni == nullptr ? Nid{} : ni->nid();
}

void send_check(Step& step, KnownGateway& gateway, KnownGateway::Near& near) {
  Peer& peer = step.s.directory.meet(gateway.nid);
  peer.set(kPeerRouterDiscovery);
  const std::size_t bytes = std::max<std::size_t>(limits::kPingBufferMin, peer.info_bytes);
  Portal0Md& record =
      make_record(step, Portal0Md::Kind::kRouterCheck, std::vector<std::byte>(bytes));
  record.target = {next_on(step, gateway, near), peer.pid};
  record.source = other_ni(step, near);
  record.gateway = gateway.nid;
  record.sequence = step.s.gateways.checks;
  send_ping_for(step, record, std::chrono::seconds(step.config().globals.router_ping_timeout));
}

void arm_next(Step& step, KnownGateway& gateway) {
  const std::int32_t interval = step.config().globals.alive_router_check_interval;
  gateway.extra = KnownGateway::Extra::kNone;
  if (interval > 0)
    step.s.timers.arm(gateway, step.now + std::chrono::seconds(interval));
  else
    gateway.cancel();
}

void check_failed(Step& step, const Portal0Md& record) {
  KnownGateway* const gateway = step.s.gateways.find(record.gateway);
  if (gateway == nullptr || step.s.shut_down) return;
  if (Peer* peer = step.s.directory.find(gateway->nid)) peer->clear(kPeerRouterDiscovery);
  if (gateway->failed(record.target.nid.net(), record.sequence)) {
    // look_at_gateways() notes in the log that a gateway has become unusable.
    const bool usable = trouble_of(view_of(step, *gateway)) == RouteTrouble::kNone;
    step.note(usable ? Note::Level::kWarning : Note::Level::kUnlogged, Note::About::kRoute,
              "a gateway does not answer its check", record.target.nid);
    // The gateway may only have closed its connections, which the driver reports after this. It is
    // checked once more; a second failure is not reported as new.
    if (record.status != 0) check_soon(step, *gateway);
  }
  look_at_gateways(step, {&gateway->nid, 1});
}

/// The check could not be sent. Returns whether another check is due, by another NI.
bool check_by_another_ni(Step& step, KnownGateway& gateway, const Portal0Md& record) {
  const NetId net = record.target.nid.net();
  const LocalNi* const by = step.s.nis.find(record.left_by);
  const bool gone = by == nullptr && !record.left_by.is_any();  // no result about the gateway
  const NiId ni = by == nullptr ? NiId{} : by->config.id;
  if (!gone && !gateway.check_not_sent(net, record.sequence, ni, step.s.nis.find(net)))
    return false;
  step.s.timers.arm(gateway, step.now);
  return true;
}

void make_new_gateways(Step& step) {
  KnownGateways& gateways = step.s.gateways;
  const auto& listed = gateways.list->by_gateway();
  std::erase_if(gateways.by_nid, [&](const auto& each) { return !listed.contains(each.first); });
  for (const auto& [nid, nets] : listed) {
    const auto [at, is_new] = gateways.by_nid.try_emplace(nid);
    KnownGateway& gateway = at->second;
    if (std::ranges::equal(gateway.nets, nets)) continue;
    // The routes decide how the gateway's info is judged, so the gateway is checked again when the
    // routes change.
    gateway.nets.assign(nets.begin(), nets.end());
    step.s.timers.arm(gateway, step.now);
    if (!is_new) continue;
    gateway.nid = nid;
    gateway.alive = !step.config().routing.check_before_use;
    step.s.directory.meet(nid);
  }
}

}  // namespace

void configure_gateways(Step& step) {
  ShardState& s = step.s;
  KnownGateways& gateways = s.gateways;
  if (gateways.list != s.config->routes) {
    gateways.list = s.config->routes;
    make_new_gateways(step);
    forget_loops(step);
  }
  const std::int32_t interval = s.config->globals.alive_router_check_interval;
  const bool other_interval = std::exchange(gateways.interval, interval) != interval;
  if (interval <= 0) forget_loops(step);  // loops would not be checked again
  for (auto& [nid, gateway] : gateways.by_nid) {
    find_near(step, gateway);
    look_at_gateways(step, {&nid, 1});
    // A gateway that was never checked is checked now all the same.
    if (other_interval && gateway.tried) arm_next(step, gateway);
  }
}

void on_router_check_due(Step& step, KnownGateway& gateway) {
  if (step.s.shut_down) return;
  if (gateway.extra != KnownGateway::Extra::kNone) gateway.extra_check = step.now;
  arm_next(step, gateway);
  if (step.s.nis.find(gateway.nid) != nullptr) return;
  find_near(step, gateway);
  if (gateway.near.empty()) return;
  ++step.s.gateways.checks;
  for (KnownGateway::Near& near : gateway.near) send_check(step, gateway, near);
  retry_loops(step, gateway);
}

bool router_check_ended(Step& step, Portal0Md& record) {
  if (!record.armed()) return false;  // router_check_timed_out() has handled it already
  PushReading reading;
  if (record.status == 0) reading = read_ping(answer_of(record), step.config().globals);
  if (reading.needed != 0 && send_ping_again(step, record, reading.needed)) return true;
  KnownGateway* const gateway = step.s.gateways.find(record.gateway);
  if (gateway == nullptr || step.s.shut_down) return false;
  const NetId net = record.target.nid.net();
  if (record.status != 0 && check_by_another_ni(step, *gateway, record)) return false;
  if (!reading.is_info()) return check_failed(step, record), false;
  gateway->answered(net, record.sequence, step.now, reading.info);
  // The message that was heard from the gateway is this answer, or came before it: no extra check
  // is needed.
  if (gateway->extra == KnownGateway::Extra::kHeard) arm_next(step, *gateway);
  Peer& peer = step.s.directory.meet(gateway->nid);
  peer.clear(kPeerRouterDiscovery);
  peer.set(kPeerRouterDiscovered);
  if (reading.verdict == PushVerdict::kLearn) peer.set(kPeerForcePush);
  if (reading.refused != DropReason::kCount) step.s.counters.drop(reading.refused);
  const Nid nid = gateway->nid;
  info_came(step, reading, {record.answerer, record.target.pid}, record.source);
  look_at_gateways(step, {&nid, 1});
  return false;
}

void router_check_timed_out(Step& step, const Portal0Md& record) { check_failed(step, record); }

}  // namespace ulnet::core
