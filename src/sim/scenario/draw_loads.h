// Draws the messages that the nodes of a swarm's scenario send to each other. Source: DESIGN.md 6.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// Random operations or calls, and up to two loads with fixed senders. Returns about how long they
/// take.
Duration draw_loads(Dice& dice, Scenario& scenario);
/// In a tenth of the worlds nodes read and write as a file system does, 1 MiB at a time.
void draw_bulk(Dice& dice, Scenario& scenario);
/// In some worlds where nothing fails, adds PUTs without payload and without ACK: only the counters
/// of both ends show whether they arrived.
void draw_unacknowledged_puts(Dice& dice, Scenario& scenario);

}  // namespace ulnet::sim
