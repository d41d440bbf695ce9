// A scenario as a file: YAML, bounded and located by the reader of the room conf. Everything that
// is wrong is told, with its line. What the keys mean: docs/man/ulnet-sim.1.scd.
#pragma once

#include <string_view>

#include "sim/scenario/fields.h"
#include "sim/scenario/scenario.h"

namespace ulnet::sim {

/// Mistakes are in the order of their lines; there is at least one. Unknown keys, negative times,
/// unknown nodes and topologies that cannot be are among them.
tl::expected<Scenario, Mistakes> read_scenario(std::string_view text);

}  // namespace ulnet::sim
