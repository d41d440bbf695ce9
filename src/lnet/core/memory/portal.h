// A portal: its type, its match entries (MEs), and in its owner shard the messages that look for a
// buffer. Source: spec/core-semantics.md 3, 7.1, 7.2.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "lnet/base/limits.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/portal_type.h"
#include "lnet/core/memory/match.h"
#include "lnet/core/memory/message.h"

namespace ulnet::core {

/// The portal for pings and pushes. Users cannot attach MEs to it.
inline constexpr Portal kReservedPortal{0};

/// A portal in one shard. Each shard has its own MEs. Members marked "owner" are only used in the
/// portal's owner shard, those marked "not owner" only in the other shards.
struct PortalState {
  PortalType type = PortalType::kUnused;
  bool lazy = false;  ///< owner
  /// Not owner: this shard announces each buffer to the owner (shard_msg::BufferPosted).
  bool reports = true;
  std::uint64_t refusals = 0;  ///< not owner: how often refuse() was called
  MatchTable entries;
  /// Owner: the messages of all shards that wait on the portal, or for which another shard
  /// searches, in the order in which they came to the owner.
  MsgQueue held;
  ShardSet users;  ///< owner: shards that have ever attached an ME
  /// Owner: the shards of `users` that have not reported, since their last buffer, that none is
  /// left.
  ShardSet active;
  /// Owner: how often a buffer was attached or announced, or the NIDs of a peer were learned.
  std::uint64_t changes = 0;
  /// Counts the messages that came in at this shard and that the portal rotor distributed: all with
  /// PortalRotor::kOn, routed ones with kRoundRobinRouted, none on a unique portal. The count
  /// modulo the number of shards is the shard that looks first (7.3).
  std::uint32_t rotor = 0;
  /// Owner: the shard that looks next. If it cannot be asked, the next shard that can be asked
  /// looks (7.3).
  std::uint32_t turn = 0;

  /// Not owner: notes that this shard reports to the owner that it found no buffer for a message,
  /// or has no ME left. From then on this shard announces each buffer to the owner.
  void refuse() {
    reports = true;
    ++refusals;
  }
  bool unique() const { return type == PortalType::kUnique; }
};

/// All portals of a shard. A portal is allocated at its first use.
class Portals {
 public:
  static constexpr bool exists(Portal portal) { return portal.index < limits::kPortals; }
  /// Finds a portal, which must exist(). Null: it was never used in this shard.
  PortalState* find(Portal portal) { return states_[portal.index].get(); }
  const PortalState* find(Portal portal) const { return states_[portal.index].get(); }
  PortalState& use(Portal portal) {
    auto& state = states_[portal.index];
    if (!state) state = std::make_unique<PortalState>();
    return *state;
  }
  /// Calls `fn` for each portal that was used, in the order of their numbers.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (auto& state : states_)
      if (state) fn(*state);
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const auto& state : states_)
      if (state) fn(static_cast<const PortalState&>(*state));
  }

 private:
  std::array<std::unique_ptr<PortalState>, limits::kPortals> states_;
};

}  // namespace ulnet::core
