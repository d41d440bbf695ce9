// The routes that an item of `route:` stands for. Source: spec/cli-lnetctl.md 3.6, 5.2.
#pragma once

#include <vector>

#include "admin/conf/yaml_in.h"
#include "lnet/config/routes.h"

namespace ulnet::conf {

/// The net varies slowest. -EINVAL for hops and priority, else as expand_ends().
Result<std::vector<RouteItem>> routes_of(const RouteEntry& entry);

}  // namespace ulnet::conf
