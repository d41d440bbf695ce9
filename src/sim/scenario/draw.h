// Draws a random scenario for the swarm: size, drivers, links, settings, loads and faults all
// follow from the seed. Source: DESIGN.md 6.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// The same seed draws the same scenario with every compiler. Its name describes it.
Scenario draw_scenario(std::uint64_t seed);

}  // namespace ulnet::sim
