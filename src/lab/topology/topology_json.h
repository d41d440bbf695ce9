// A topology as JSON, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Returns everything in the file, resolved: {name, about, switches, switch_links, nets, nodes}.
/// Switches, nets and gateways are named. Rates are in bits a second (0: no limit), delays in
/// nanoseconds, losses in a million. An address is present if it has been assigned; `shares` of a
/// rail names the rail whose interface it uses.
nlohmann::json topology_json(const Topology& topology);

}  // namespace ulnet::tools::lab
