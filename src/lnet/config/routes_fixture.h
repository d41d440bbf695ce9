// Routes as text, for tests.
#pragma once

#include <string>
#include <vector>

#include "lnet/config/model.h"

namespace ulnet::conf {

/// "tcp1/10.0.0.1@tcp/-1/0 ..."
inline std::string shown(const std::vector<RouteItem>& routes) {
  std::string text;
  for (const RouteItem& route : routes)
    text += (text.empty() ? "" : " ") + route.net.to_string() + "/" + route.gateway.to_string() +
            "/" + std::to_string(route.hops) + "/" + std::to_string(route.priority);
  return text;
}

}  // namespace ulnet::conf
