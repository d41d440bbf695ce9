// A portal: its match entries, its type, and the messages that wait on it when it is lazy. Source:
// spec/core-semantics.md 3, 7.1, 7.2.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/limits.h"
#include "core/match.h"
#include "core/message.h"
#include "core/placement.h"

namespace ulnet::core {

/// For pings and pushes; users attach nothing there.
inline constexpr Portal kOwnPortal{0};

/// Fixed by the first ME ever attached (3).
enum class PortalType : std::uint8_t { kUnused, kUnique, kWildcard };

struct PortalState {
  PortalType type = PortalType::kUnused;
  bool lazy = false;           ///< home only
  bool reports = true;         ///< not home: home is told of buffers that are attached
  std::uint64_t refusals = 0;  ///< not home: how often nothing was found, or is left, here
  MatchTable entries;
  /// Home: unmatched PUTs of all shards, in the order of arrival here, and what is being offered.
  MsgQueue held;
  ShardSet users;             ///< home: shards that ever attached an entry
  ShardSet active;            ///< home: those of them that are not known to have none left
  std::uint64_t changes = 0;  ///< home: buffers attached since the first
  std::uint32_t rotor = 0;    ///< whose turn it is to look first for what comes in here
  /// Home: who is asked next for what found nothing, or the first active one behind it (7.3).
  std::uint32_t turn = 0;

  /// Not home: another shard, or home by a letter, is told that there is nothing.
  void refuse() {
    reports = true;
    ++refusals;
  }
  bool unique() const { return type == PortalType::kUnique; }
};

/// The type that an ME asks for.
constexpr PortalType portal_type_of(const ProcessId& match_id, MatchBits ignore) {
  const bool specific = ignore.value == 0 && !match_id.nid.is_any() && !match_id.pid.is_any();
  return specific ? PortalType::kUnique : PortalType::kWildcard;
}

/// All portals of a shard; each takes memory from its first use on.
class Portals {
 public:
  static constexpr bool exists(Portal portal) { return portal.index < limits::kPortals; }
  /// Null when nothing was ever done with it. The portal must exist().
  PortalState* find(Portal portal) { return states_[portal.index].get(); }
  const PortalState* find(Portal portal) const { return states_[portal.index].get(); }
  PortalState& use(Portal portal) {
    auto& state = states_[portal.index];
    if (!state) state = std::make_unique<PortalState>();
    return *state;
  }
  /// In the order of their numbers.
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
