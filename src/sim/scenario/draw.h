// A scenario by chance: size, edges, links, settings, loads and faults all follow from the seed.
// What the swarm runs. Source: DESIGN.md 6.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// The same seed draws the same scenario with every compiler. Its name says what it is.
Scenario draw_scenario(std::uint64_t seed);

}  // namespace ulnet::sim
