// Where things live among the shards of a node: peers and the messages to and from them by the hash
// of their NID, portals with the shard that decides about them. Source: spec/core-semantics.md
// 3, 13.2, DESIGN.md 3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bit_set.h"
#include "base/limits.h"
#include "core/config.h"
#include "core/ports.h"

namespace ulnet::core {

using ShardSet = BitSet<limits::kMaxCpts>;

/// A value, the same in every shard and for the host of them. That they agree is a matter of speed:
/// any shard can do what another was to do.
class Placement {
 public:
  Placement() = default;
  explicit Placement(const NodeConfig& config);

  std::uint32_t shards() const { return shards_; }
  /// The shard of a peer NI, and of the MEs of unique portals that name it.
  std::uint32_t of(const Nid& nid) const { return shards_ == 1 ? 0 : among_many(nid); }
  /// The shard that decides who gets the buffers of a portal.
  std::uint32_t home_of(Portal portal) const { return portal.index % shards_; }
  /// The shard of an ME (3); `caller`: the one of the CPU that the caller runs on.
  std::uint32_t of_entry(Portal portal, const ProcessId& match_id, MatchBits ignore,
                         InsertPosition position, std::uint32_t caller) const;

  bool operator==(const Placement&) const = default;

 private:
  struct Bound {
    NetId net;
    std::vector<std::uint32_t> cpts;  ///< of all its NIs
    bool operator==(const Bound&) const = default;
  };
  std::uint32_t among_many(const Nid& nid) const;

  std::uint32_t shards_ = 1;
  std::vector<Bound> bound_;  ///< nets whose NIs are not on all partitions
};

/// The shard that an input is for; nothing: for each of them, or (Api, Mail) the host knows. Asked
/// for every input, so it is inline.
inline std::optional<std::uint32_t> shard_of(const Placement& placement, const Input& input) {
  return std::visit(
      [&](const auto& in) -> std::optional<std::uint32_t> {
        if constexpr (requires { in.hop; })
          return placement.of(in.hop.nid);
        else if constexpr (requires { in.msg; })
          return shard_of(in.msg);
        else if constexpr (requires { in.tx; })
          return shard_of(in.tx);
        else
          return {};
      },
      input);
}

/// The control shard: the node's own MDs, and what is known of peers.
inline constexpr std::uint32_t kControlShard = 0;

}  // namespace ulnet::core
