// The settings of a drawn world's node: LNet's tunables, and those of its TCP driver.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

void draw_settings(Dice& dice, NodeSetup& setup);
/// Settings that matter to hostile peers.
void draw_bounds(Dice& dice, NodeSetup& setup);
/// Some nodes have no descriptor for some of their connections.
void draw_descriptors(Dice& dice, Scenario& scenario);
/// Two nodes exchange a message now and then, for so long that other peers are forgotten.
void draw_idle_peers(Dice& dice, Scenario& scenario);
/// Where there are strangers, some nodes have room for few peers but those of the world.
void draw_room_for_peers(Dice& dice, Scenario& scenario);

}  // namespace ulnet::sim
