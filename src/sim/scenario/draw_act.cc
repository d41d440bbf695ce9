#include <algorithm>
#include <utility>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

/// Faults of hostile peers and of administrators are the last in kFaultKinds; other functions draw
/// them.
constexpr std::uint64_t kFaultsOfNodes = static_cast<std::uint64_t>(FaultKind::kNonsense);
static_assert(kFaultKinds[kFaultsOfNodes] == FaultKind::kNonsense);

}  // namespace

Act draw_act(Dice& dice, const Scenario& scenario, Duration busy) {
  Act act;
  // Most faults begin while the loads run.
  act.at = dice.up_to(dice.often(80) ? busy : scenario.lasts);
  // Most faults are shorter than the time-outs; some are longer; some last until all faults end.
  const bool is_long = dice.often(10);
  act.lasts = is_long ? Duration(std::chrono::seconds(1 + dice.below(60))) : dice.spread(20);
  if (dice.often(10)) act.lasts = {};
  const std::uint64_t kind = dice.below(kFaultsOfNodes + 1);
  if (kind == kFaultsOfNodes)
    act.what = Act::What::kShutdown;
  else
    act.fault = kFaultKinds[kind];
  act.node = static_cast<NodeNumber>(dice.below(scenario.nodes.size()));
  const std::uint64_t step = 1 + dice.below(scenario.nodes.size() - 1);
  act.other = static_cast<NodeNumber>((act.node + step) % scenario.nodes.size());
  act.ni = static_cast<std::uint32_t>(dice.below(scenario.nodes[act.node].nis.size()));
  act.silent = dice.often(50);
  act.ppm = static_cast<std::uint32_t>(dice.below(dice.often(20) ? 1'000'000 : 200'000));
  return act;
}

void add_act(Scenario& scenario, const Act& act) {
  const auto earlier = [](const Act& a, const Act& b) { return a.at < b.at; };
  std::vector<Act>& acts = scenario.acts;
  acts.insert(std::upper_bound(acts.begin(), acts.end(), act, earlier), act);
}

void draw_idle_users(Dice& dice, Scenario& scenario, Duration busy) {
  if (scenario.nothing_fails || !dice.often(3)) return;
  Act still;
  still.fault = FaultKind::kPause;
  still.at = dice.up_to(busy / 4);
  still.node = static_cast<NodeNumber>(dice.below(scenario.nodes.size()));
  still.other = (still.node + 1) % static_cast<NodeNumber>(scenario.nodes.size());
  add_act(scenario, still);
}

core::FaultRule draw_fault_rule(Dice& dice, const NodeSetup& node, const NodeSetup& other) {
  core::FaultRule rule;
  const auto exactly = [](const Nid& nid) { return core::FaultNids{nid.net(), nid}; };
  const std::size_t ni = dice.below(node.nis.size());
  const bool delay = dice.often(30);
  if (delay || dice.often(50)) {
    rule.source = exactly(node.nis[ni].nid);
    rule.destination = exactly(other.nis[dice.below(other.nis.size())].nid);
    if (dice.often(50)) std::swap(rule.source, rule.destination);
  } else if (dice.often(30)) {
    rule.source.net = node.nis[ni].nid.net();
  }
  if (dice.often(20)) rule.local = node.nis[ni].nid;
  if (dice.often(50)) rule.messages = 1U << dice.below(4);
  if (dice.often(75))
    rule.rate = static_cast<std::uint32_t>(dice.one_of({1, 2, 2, 3, 10}));
  else
    rule.interval = 1 + static_cast<std::uint32_t>(dice.below(3));
  rule.seed = dice.next();
  if (delay) {
    rule.kind = core::FaultRule::Kind::kDelay;
    rule.latency = 1 + static_cast<std::uint32_t>(dice.below(3));
    return core::settled(rule).value();
  }
  if (dice.often(40))
    rule.errors = static_cast<std::uint32_t>(1 + dice.below((1U << core::kFaultErrors) - 1));
  rule.random = rule.interval != 0 && dice.often(50);
  rule.drop_all = dice.often(25);
  return core::settled(rule).value();
}

}  // namespace ulnet::sim
