#include "core/flow/router_check.h"

#include <algorithm>
#include <utility>

#include "core/flow/discovery.h"
#include "core/flow/gateway_news.h"
#include "core/flow/peers.h"
#include "core/flow/portal0_requests.h"

namespace ulnet::core {

namespace {

/// The nets that this node and the gateway share, as far as it is known on which it is. Those of
/// the last check keep what was found out there.
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

void send_check(Step& step, KnownGateway& gateway, KnownGateway::Near& near) {
  Peer& peer = step.s.directory.meet(gateway.nid);
  peer.set(kPeerRouterDiscovery);
  const std::size_t bytes = std::max<std::size_t>(limits::kPingBufferMin, peer.info_bytes);
  Portal0Md& record =
      make_record(step, Portal0Md::Kind::kRouterCheck, std::vector<std::byte>(bytes));
  record.target = {next_on(step, gateway, near), peer.pid};
  record.gateway = gateway.nid;
  record.sequence = step.s.gateways.checks;
  send_ping_for(step, record, std::chrono::seconds(step.config().globals.router_ping_timeout));
}

void arm_next(Step& step, KnownGateway& gateway) {
  const std::int32_t interval = step.config().globals.alive_router_check_interval;
  if (interval > 0)
    step.s.timers.arm(gateway, step.now + std::chrono::seconds(interval));
  else
    gateway.cancel();
}

void check_failed(Step& step, const Portal0Md& record) {
  KnownGateway* const gateway = step.s.gateways.find(record.gateway);
  if (gateway == nullptr || step.s.shut_down) return;
  if (Peer* peer = step.s.directory.find(gateway->nid)) peer->clear(kPeerRouterDiscovery);
  if (gateway->failed(record.target.nid.net(), record.sequence))
    step.note(Note::Level::kWarning, "a gateway does not answer its check", record.target.nid);
  look_at_gateways(step, {&gateway->nid, 1});
}

void make_new_gateways(Step& step) {
  KnownGateways& gateways = step.s.gateways;
  const auto& listed = gateways.list->by_gateway();
  std::erase_if(gateways.by_nid, [&](const auto& each) { return !listed.contains(each.first); });
  for (const auto& [nid, nets] : listed) {
    const auto [at, is_new] = gateways.by_nid.try_emplace(nid);
    at->second.nets.assign(nets.begin(), nets.end());
    if (!is_new) continue;
    at->second.nid = nid;
    at->second.alive = !step.config().routing.check_before_use;
    step.s.timers.arm(at->second, step.now);
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
  }
  const std::int32_t interval = s.config->globals.alive_router_check_interval;
  const bool other_interval = std::exchange(gateways.interval, interval) != interval;
  for (auto& [nid, gateway] : gateways.by_nid) {
    find_near(step, gateway);
    look_at_gateways(step, {&nid, 1});
    // One that has not been checked yet is checked now all the same.
    if (other_interval && gateway.tried) arm_next(step, gateway);
  }
}

void on_router_check_due(Step& step, KnownGateway& gateway) {
  if (step.s.shut_down) return;
  arm_next(step, gateway);
  if (step.s.nis.find(gateway.nid) != nullptr) return;
  find_near(step, gateway);
  if (gateway.near.empty()) return;
  ++step.s.gateways.checks;
  for (KnownGateway::Near& near : gateway.near) send_check(step, gateway, near);
}

bool router_check_ended(Step& step, Portal0Md& record) {
  if (!record.armed()) return false;  // router_check_timed_out() has said so already
  PushReading reading;
  if (record.status == 0) reading = read_ping(answer_of(record), step.config().globals);
  if (reading.needed != 0 && send_ping_again(step, record, reading.needed)) return true;
  KnownGateway* const gateway = step.s.gateways.find(record.gateway);
  if (gateway == nullptr || step.s.shut_down) return false;
  const NetId net = record.target.nid.net();
  if (record.status != 0 && gateway->unsent(net, record.sequence, nis_on(step, net)))
    return step.s.timers.arm(*gateway, step.now), false;
  if (!reading.is_info()) return check_failed(step, record), false;
  gateway->answered(net, record.sequence, step.now, reading.info);
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
