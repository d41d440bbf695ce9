// Routers of a random world: its nets, which node is on which net, and the routers through which
// all nodes reach each other, or some do not. No routes make a loop.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// Puts the nodes of `scenario` on two or three nets with one to three routers between them. Each
/// node then has its NIs on one net, and the routers are added behind the nodes. `sound`: every
/// node reaches every other one, both ways.
void draw_routers(Dice& dice, Scenario& scenario, bool sound);

}  // namespace ulnet::sim
