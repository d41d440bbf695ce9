#include <algorithm>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

/// With this limit the handlers of all events of one MD end within the virtual time of a world.
constexpr Duration kLongestHandler = std::chrono::seconds(1);

}  // namespace

void draw_slow_handlers(Dice& dice, Scenario& scenario) {
  if (scenario.nothing_fails || !dice.often(8)) return;
  for (NodeSetup& node : scenario.nodes)
    if (dice.often(40)) node.handler_delay = std::min<Duration>(dice.spread(21), kLongestHandler);
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

}  // namespace ulnet::sim
