// The settings of a drawn world's node: LNet's tunables, and those of its TCP driver.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

void draw_settings(Dice& dice, NodeSetup& setup);
/// Settings that matter to hostile peers.
void draw_bounds(Dice& dice, NodeSetup& setup);

}  // namespace ulnet::sim
