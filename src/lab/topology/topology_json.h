// A topology as JSON, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Everything that the file says, resolved: {name, about, switches, switch_links, nets, nodes}.
/// Switches, nets and gateways are named. Rates are in bits a second (0: no limit), delays in
/// nanoseconds, losses in a million. An address is there when it is given;
/// `shares` of a rail names that whose interface it has.
nlohmann::json topology_json(const Topology& topology);

}  // namespace ulnet::tools::lab
