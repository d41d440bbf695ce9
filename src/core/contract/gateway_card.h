// What the shards of a node share about a gateway: whether its routes can be used. The control
// shard writes it. Source: spec/multirail.md 9.3.
#pragma once

#include <algorithm>
#include <vector>

#include "ulnet/nid.hpp"

namespace ulnet::core {

struct GatewayCard {
  Nid gateway;         ///< by which the routes name it
  bool usable = true;  ///< it is alive and routes (rules 1 and 2 of 9.3)
  /// Nets on which it has NIDs, all of which are down: routes there are down too (rule 3).
  std::vector<NetId> lost;

  bool reaches(NetId net) const {
    return usable && std::find(lost.begin(), lost.end(), net) == lost.end();
  }
  bool operator==(const GatewayCard&) const = default;
};

}  // namespace ulnet::core
