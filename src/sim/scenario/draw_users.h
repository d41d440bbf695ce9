// Draws how the users of a swarm's nodes behave. Source: spec/core-semantics.md 5; DESIGN.md 3, 6.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

// Each function changes some worlds.
/// Handlers of some nodes take so long that events wait for them.
void draw_slow_handlers(Dice& dice, Scenario& scenario);

/// The user of a node whose program has to call progress() stops calling it, soon after the loads
/// of about `busy` have begun: the node does nothing until all faults end.
void draw_idle_users(Dice& dice, Scenario& scenario, Duration busy);

}  // namespace ulnet::sim
