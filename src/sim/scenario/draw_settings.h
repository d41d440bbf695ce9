// The settings of a random world's node: LNet's tunables, and those of its TCP driver.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

void draw_settings(Dice& dice, NodeSetup& setup);
/// Settings that matter to hostile peers.
void draw_bounds(Dice& dice, NodeSetup& setup);
/// Some nodes have no descriptor for some of their connections.
void draw_descriptors(Dice& dice, Scenario& scenario);
/// Two nodes exchange a message from time to time, for so long that other peers are forgotten.
void draw_idle_peers(Dice& dice, Scenario& scenario);
/// In worlds with foreign peers, some nodes have room for few peers besides those of the world.
void draw_peer_limits(Dice& dice, Scenario& scenario);

}  // namespace ulnet::sim
