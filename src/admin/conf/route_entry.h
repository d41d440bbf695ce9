// The routes that an item of `route:` names. Source: spec/cli-lnetctl.md 3.6, 5.2.
#pragma once

#include <vector>

#include "admin/conf/yaml_in.h"
#include "lnet/config/routes.h"

namespace ulnet::conf {

/// Returns the routes; the net varies slowest. -EINVAL for wrong hops and priority; other errors as
/// for expand_ends().
Result<std::vector<RouteItem>> routes_of(const RouteEntry& entry);

}  // namespace ulnet::conf
