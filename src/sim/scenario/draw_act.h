// One fault of a random world, and its place among the others.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// A fault of a node or of a link, or a shutdown, at any time; most begin within `busy`, while the
/// loads run.
Act draw_act(Dice& dice, const Scenario& scenario, Duration busy);
/// Inserts the act among the acts of the scenario, which are in the order of time.
void add_act(Scenario& scenario, const Act& act);

}  // namespace ulnet::sim
