// Reads a scenario from a YAML file, with the bounded reader of src/admin/conf. It reports all
// mistakes, with their lines. docs/man/ulnet-sim.1.scd describes the keys.
#pragma once

#include <string_view>

#include "sim/scenario/scenario.h"
#include "text/fields.h"

namespace ulnet::sim {

/// Mistakes are in the order of their lines; there is at least one. They include unknown keys,
/// negative times, unknown nodes and impossible topologies.
tl::expected<Scenario, conf::Problems> read_scenario(std::string_view text);

}  // namespace ulnet::sim
