#include "core/memory/md.h"

namespace ulnet::core {

using S = MdState;
using E = MdEvent;

constinit const LifeCycle<S, E> kMdLife({
    {S::kActive, E::kExhausted, S::kRetired},
    {S::kActive, E::kAbort, S::kAborted},
    {S::kRetired, E::kAbort, S::kAborted},
    {S::kRetired, E::kIdle, S::kGone},
    {S::kAborted, E::kIdle, S::kGone},
});

const char* to_string(MdState state) {
  static constexpr const char* kNames[] = {"active", "retired", "aborted", "gone"};
  return state < S::kCount ? kNames[static_cast<std::size_t>(state)] : "?";
}

const char* to_string(MdEvent event) {
  static constexpr const char* kNames[] = {"exhausted", "abort", "idle"};
  return event < E::kCount ? kNames[static_cast<std::size_t>(event)] : "?";
}

}  // namespace ulnet::core
