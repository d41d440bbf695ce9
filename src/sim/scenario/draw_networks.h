// Parts of a random world's network besides links between all nodes: switches, and nets on which
// each node has one NI. Source: DESIGN.md 6, spec/multirail.md 3.2.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

// Each function changes some worlds.
/// Gives the nodes two to four NIs, each on a net of its own. Some nodes lack some of these nets;
/// any two nodes have one in common. It must run before any function that uses the nodes' NIs.
void draw_own_nets(Dice& dice, Scenario& scenario);

/// Links of NIs go down and up again, for shorter and for longer than TCP takes until it
/// retransmits, while loads take about `busy`.
void draw_flaps(Dice& dice, Scenario& scenario, Duration busy);

/// Attaches the NIs to two to four switches. Links between these are cut or become slow.
void draw_switches(Dice& dice, Scenario& scenario, Duration busy);

}  // namespace ulnet::sim
