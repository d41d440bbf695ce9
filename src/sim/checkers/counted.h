// Helpers for checkers that count as a shard does: messages by type, drops by reason. Source:
// spec/core-semantics.md 9.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <numeric>

#include "lnet/core/flow/step.h"

namespace ulnet::sim {

using ByType = std::array<std::uint64_t, 5>;  ///< by wire::MsgType

inline std::size_t index(wire::MsgType type) { return static_cast<std::size_t>(type); }
inline ByType by_type(core::TypeCounts counts) {
  ByType made{};
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = core::count_of(counts, static_cast<wire::MsgType>(i));
  return made;
}
template <class Array>
std::uint64_t sum(const Array& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

inline std::uint64_t drops(const core::ShardState& state, core::DropReason reason) {
  return state.counters.drops[static_cast<std::size_t>(reason)];
}
/// The drops for all of these reasons together.
inline std::uint64_t drops(const core::ShardState& state,
                           std::initializer_list<core::DropReason> reasons) {
  std::uint64_t all = 0;
  for (const core::DropReason reason : reasons) all += drops(state, reason);
  return all;
}
/// The number of messages that were refused before they counted as received.
inline std::uint64_t turned_away(const core::ShardState& state) {
  using core::DropReason;
  return drops(state, {DropReason::kUnknownNi, DropReason::kShutdown, DropReason::kNiRemoved,
                       DropReason::kRoutingOff, DropReason::kBadSource,
                       DropReason::kSimulatedFailure, DropReason::kAsymmetricRoute,
                       DropReason::kCameBack, DropReason::kTooManyPeers, DropReason::kFaultRule});
}
/// The number of messages dropped, for all reasons together.
inline std::uint64_t all_drops(const core::ShardState& state) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < core::kDropReasons; ++i)
    if (const auto reason = static_cast<core::DropReason>(i); core::drops_a_message(reason))
      all += drops(state, reason);
  return all;
}

/// Whether the message has a payload, which may be empty.
inline bool carries_payload(wire::MsgType type) {
  return type == wire::MsgType::kPut || type == wire::MsgType::kReply;
}
/// Whether the message needs a buffer of a portal.
inline bool is_request(wire::MsgType type) {
  return type == wire::MsgType::kPut || type == wire::MsgType::kGet;
}

}  // namespace ulnet::sim
