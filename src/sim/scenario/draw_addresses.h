// Nets of a random world whose NIDs are IPv6 addresses. Source: spec/wire-lnet.md 1.3, 4.5.
#pragma once

#include "sim/scenario/dice.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// In some worlds gives all NIDs on some nets IPv6 addresses, in the nodes' NIs and routes. It does
/// so on all nets where there are routers, because a large NID cannot cross a net of small NIDs
/// (3.1). It must run before any function that uses the NIDs.
void draw_addresses(Dice& dice, Scenario& scenario);

}  // namespace ulnet::sim
