// The numbers and names of a shard's actions in a trace.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <variant>

#include "lnet/core/contract/ports.h"

namespace ulnet::sim {

/// How a trace records the action T: `number` is the `detail` of its records.
template <class T>
struct TracedAction {
  std::uint8_t number;
  const char* name;
};

/// In the order of core::Action. An action keeps its number when other actions are added or
/// removed, because every digest depends on the numbers; 6 and 7 belonged to actions that no longer
/// exist.
inline constexpr std::tuple kTracedActions{
    TracedAction<core::Send>{0, "Send"},
    TracedAction<core::Cancel>{1, "Cancel"},
    TracedAction<core::Land>{2, "Land"},
    TracedAction<core::CopyPayload>{14, "CopyPayload"},
    TracedAction<core::HoldPayload>{3, "HoldPayload"},
    TracedAction<core::DropPayload>{4, "DropPayload"},
    TracedAction<core::Reject>{5, "Reject"},
    TracedAction<core::Post>{8, "Post"},
    TracedAction<core::CallDone>{9, "CallDone"},
    TracedAction<core::Applied>{10, "Applied"},
    TracedAction<core::Drained>{11, "Drained"},
    TracedAction<core::Note>{12, "Note"},
    TracedAction<core::ToShard>{13, "ToShard"},
    TracedAction<core::AttachMemory>{15, "AttachMemory"},
    TracedAction<core::DetachMemory>{16, "DetachMemory"},
};
template <class... T>
constexpr bool are_all_actions(const std::tuple<TracedAction<T>...>&) {
  return std::is_same_v<core::Action, std::variant<T...>>;
}
static_assert(are_all_actions(kTracedActions), "each action needs its number and its name");
constexpr bool are_numbered_apart() {
  std::uint64_t taken = 1ULL << 6 | 1ULL << 7;
  bool apart = true;
  const auto take = [&](std::uint8_t number) {
    apart = apart && (taken >> number & 1) == 0;
    taken |= 1ULL << number;
  };
  std::apply([&](const auto&... action) { (take(action.number), ...); }, kTracedActions);
  return apart;
}
static_assert(are_numbered_apart(), "the number of an action is or was another one's");

}  // namespace ulnet::sim
