// Draws nodes of other software, which may be upgraded or downgraded. Source: DESIGN.md 6.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// In a fifteenth of the worlds over TCP with an IPv4 net there are one or two such nodes.
void draw_old_nodes(Dice& dice, Scenario& scenario);

}  // namespace ulnet::sim
