#include <algorithm>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LoadSpec mix_load(Dice& dice) {
  LoadSpec mix;
  mix.what = LoadSpec::What::kMix;
  mix.count = 20 + dice.below(dice.often(20) ? 3000 : 300);
  mix.window = static_cast<std::uint32_t>(dice.one_of({1, 4, 16}));
  mix.every = dice.spread(14);
  mix.min_bytes = 0;
  mix.max_bytes = static_cast<std::uint32_t>(dice.one_of({0, 4096, 70'000, 1 << 20}));
  return mix;
}

LoadSpec random_load(Dice& dice) {
  LoadSpec random;
  random.what = LoadSpec::What::kRandom;
  random.count = 50 + dice.below(dice.often(20) ? 2000 : 400);
  random.every = dice.spread(12);
  random.min_bytes = 0;
  random.max_bytes = static_cast<std::uint32_t>(dice.one_of({1024, 4096, 4096, 70'000}));
  random.unpolled = dice.often(10);
  return random;
}

LoadSpec one_way_load(Dice& dice, const Scenario& scenario) {
  LoadSpec load;
  load.what = static_cast<LoadSpec::What>(dice.below(3));
  const NodeNumber to = static_cast<NodeNumber>(dice.below(scenario.nodes.size()));
  for (NodeNumber from = 0; from < scenario.nodes.size(); ++from)
    if (from != to && dice.often(50)) load.from.push_back(from);
  if (load.from.empty()) load.from.push_back(to == 0 ? 1 : 0);
  load.to = {to};
  load.count = 1 + dice.below(100);
  load.window = static_cast<std::uint32_t>(dice.one_of({1, 8, 32}));
  load.max_bytes = static_cast<std::uint32_t>(dice.one_of({0, 1000, 4096, 200'000}));
  load.min_bytes = dice.often(50) ? load.max_bytes : 0;
  load.start = dice.spread(18);
  load.every = dice.often(50) ? dice.spread(14) : Duration{};
  load.ack = dice.often(70);
  return load;
}

/// About how long the load takes without faults.
Duration busy_for(const Scenario& scenario, const LoadSpec& load) {
  const Duration round_trip = 2 * scenario.link.delay + scenario.link.jitter;
  const auto count = static_cast<std::int64_t>(load.count);
  const auto node_count = static_cast<std::int64_t>(scenario.nodes.size());
  if (load.what == LoadSpec::What::kRandom) return load.every / 2 * count + round_trip;
  if (load.what == LoadSpec::What::kMix)
    return (load.every / 2 + round_trip) * count / (node_count * load.window) + round_trip;
  return load.start + std::max(load.every, round_trip / load.window) * count + round_trip;
}

}  // namespace

Duration draw_loads(Dice& dice, Scenario& scenario) {
  Duration busy{};
  const bool without_plan = dice.often(60);
  if (!without_plan || dice.often(80)) scenario.loads.push_back(mix_load(dice));
  if (without_plan) scenario.loads.push_back(random_load(dice));
  for (std::uint64_t more = dice.below(3); more != 0; --more)
    scenario.loads.push_back(one_way_load(dice, scenario));
  for (const LoadSpec& load : scenario.loads) busy = std::max(busy, busy_for(scenario, load));
  busy = std::clamp<Duration>(busy, milliseconds(2), seconds(2));
  scenario.lasts = 2 * busy + milliseconds(20);
  return busy;
}

void draw_bulk(Dice& dice, Scenario& scenario) {
  if (!dice.often(10)) return;
  for (std::uint64_t left = 1 + dice.below(3); left != 0; --left) {
    LoadSpec load = one_way_load(dice, scenario);
    load.what = dice.often(50) ? LoadSpec::What::kPut : LoadSpec::What::kGet;
    load.min_bytes = load.max_bytes = 1 << 20;
    load.count = 1 + dice.below(30);
    load.window = static_cast<std::uint32_t>(dice.one_of({1, 2, 8}));
    scenario.loads.push_back(std::move(load));
  }
}

void draw_unacknowledged_puts(Dice& dice, Scenario& scenario) {
  if (!scenario.nothing_fails || !dice.often(30)) return;
  LoadSpec load = one_way_load(dice, scenario);
  load.what = LoadSpec::What::kPut;
  load.min_bytes = load.max_bytes = 0;
  load.ack = false;
  scenario.loads.push_back(std::move(load));
}

}  // namespace ulnet::sim
