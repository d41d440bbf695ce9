// The gateway entry that the shards of a node share: whether the routes through a gateway can be
// used. The control shard makes it. Source: spec/multirail.md 9.3.
#pragma once

#include <algorithm>
#include <vector>

#include "ulnet/nid.hpp"

namespace ulnet::core {

struct GatewayEntry {
  Nid gateway;         ///< the NID that the routes name
  bool usable = true;  ///< the gateway is alive and forwards (rules 1 and 2 of 9.3)
  /// This node takes NIDs of the gateway for dead: the shards report the next message from the
  /// gateway, or through it, to the control shard (spec/core-semantics.md 8).
  bool missed = false;
  /// As `missed`, but only messages from these nets are reported.
  std::vector<NetId> missed_from;
  /// Routes to these nets are down, though the gateway is usable: all NIDs that it has advertised
  /// on the net are down (rule 3), or the routes' flags are down (rule 2).
  std::vector<NetId> lost;

  bool reaches(NetId net) const {
    return usable && std::find(lost.begin(), lost.end(), net) == lost.end();
  }
  bool misses(NetId source) const {
    return missed || std::find(missed_from.begin(), missed_from.end(), source) != missed_from.end();
  }
  bool misses_any() const { return missed || !missed_from.empty(); }
  bool operator==(const GatewayEntry&) const = default;
};

}  // namespace ulnet::core
