#include <algorithm>

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

}  // namespace ulnet::sim
