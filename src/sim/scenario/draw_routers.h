// Routers of a drawn world: which nets there are, who is on which, and by which routes all reach
// each other, or some do not. No routes make a loop.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// Puts the nodes of `scenario`, each of which has its NIs on one net afterwards, on two or three
/// nets with one to three routers between them, which are added behind the nodes. `sound`: every
/// node reaches every other one, both ways.
void draw_routers(Dice& dice, Scenario& scenario, bool sound);

}  // namespace ulnet::sim
