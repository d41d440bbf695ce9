// Routes and what a router is, as trees in the form of a backup, which import takes. Source:
// spec/cli-lnetctl.md 4.3, 4.4, 6.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "conf/model.h"

namespace ulnet::conf {

/// {"route": [{"net": "tcp1", "gateway": "10.0.0.1@tcp", "hop": -1, "priority": 0}]}
nlohmann::ordered_json route_tree(std::span<const RouteItem> routes);
/// {"routing": {"enable": 1}, "buffers": {"tiny": 2048, "small": 16384, "large": 1024}}
nlohmann::ordered_json routing_tree(bool enabled, const Buffers& buffers);

}  // namespace ulnet::conf
