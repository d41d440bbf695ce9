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
  /// This node thinks that NIDs of it are dead: the control shard wants to be told of the next
  /// message from it, or through it (spec/core-semantics.md 8).
  bool missed = false;
  /// The same, but for messages from these nets alone.
  std::vector<NetId> missed_from;
  /// Routes to these nets are down, though the gateway is usable: all NIDs there that it has told
  /// are down (rule 3), or the flags of its routes say so (rule 2).
  std::vector<NetId> lost;

  bool reaches(NetId net) const {
    return usable && std::find(lost.begin(), lost.end(), net) == lost.end();
  }
  bool misses(NetId source) const {
    return missed || std::find(missed_from.begin(), missed_from.end(), source) != missed_from.end();
  }
  bool misses_any() const { return missed || !missed_from.empty(); }
  bool operator==(const GatewayCard&) const = default;
};

}  // namespace ulnet::core
