// The shard in which an object lives: a peer NI with the messages to and from it, an ME, and the
// owner shard of a portal. Source: spec/core-semantics.md 3, 13.2, DESIGN.md 3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lnet/base/bit_set.h"
#include "lnet/base/limits.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

using ShardSet = BitSet<limits::kMaxCpts>;

/// Each shard and the host compute the placement from the configuration, so all have the same one.
/// The owner shard of a peer NI does not change while its net exists (NetOwners). The owner shard
/// of a portal never changes, because the number of shards does not.
class Placement {
 public:
  Placement() = default;
  explicit Placement(const NodeConfig& config);

  std::uint32_t shards() const { return shards_; }
  /// The shard of the peer NI with this NID, and of the MEs of unique portals that name this NID.
  std::uint32_t of(const Nid& nid) const { return shards_ == 1 ? 0 : by_hash(nid); }
  /// The owner shard of a portal (shard_msg.h).
  std::uint32_t owner_of(Portal portal) const { return portal.index % shards_; }
  /// The shard of an ME (3). `caller`: the shard of the CPU on which the caller runs.
  std::uint32_t of_entry(Portal portal, const ProcessId& match_id, MatchBits ignore,
                         InsertPosition position, std::uint32_t caller) const;

  bool operator==(const Placement&) const = default;

 private:
  struct Bound {
    NetId net;
    std::vector<std::uint32_t> cpts;
    bool operator==(const Bound&) const = default;
  };
  std::uint32_t by_hash(const Nid& nid) const;

  std::uint32_t shards_ = 1;
  std::vector<Bound> bound_;  ///< nets whose peer NIs live in some shards only
};

/// The shard that takes an input. Nothing: every shard takes it (Config, Tick, NiState), or the
/// host itself knows the shard (`Api`, `FromShard`). Inline, because the host calls it for every
/// input.
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

/// The control shard has the node's own MDs on portal 0 and decides which NIDs form a peer.
inline constexpr std::uint32_t kControlShard = 0;

}  // namespace ulnet::core
