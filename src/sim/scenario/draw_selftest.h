// Draws a session of LNet selftest whose console disappears, in a few worlds.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// With a selftest the world lasts until nodes have ended the session by themselves, and its links
/// are so slow that a test costs no more than other loads.
void draw_selftest(Dice& dice, Scenario& scenario);

}  // namespace ulnet::sim
