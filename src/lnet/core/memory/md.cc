// Lists the transitions of an MD's states, and finds the memory of a part of an MD that lies in one
// fragment. Source: spec/core-semantics.md 4.5, 4.6.
#include "lnet/core/memory/md.h"

#include <span>

namespace ulnet::core {

constinit const LifeCycle<MdState, MdEvent> kMdLifeCycle = [] {
  using S = MdState;
  using E = MdEvent;
  return LifeCycle<MdState, MdEvent>({
      {S::kActive, E::kExhausted, S::kRetired},
      {S::kActive, E::kAbort, S::kAborted},
      {S::kRetired, E::kAbort, S::kAborted},
      {S::kRetired, E::kIdle, S::kGone},
      {S::kAborted, E::kIdle, S::kGone},
  });
}();

const char* to_string(MdState state) {
  static constexpr const char* kNames[] = {"active", "retired", "aborted", "gone"};
  return state < MdState::kCount ? kNames[static_cast<std::size_t>(state)] : "?";
}

const char* to_string(MdEvent event) {
  static constexpr const char* kNames[] = {"exhausted", "abort", "idle"};
  return event < MdEvent::kCount ? kNames[static_cast<std::size_t>(event)] : "?";
}

std::optional<ByteSpan> one_piece(const Region& region) {
  if (region.length == 0) return ByteSpan{};
  std::size_t offset = region.offset;
  for (const iovec& fragment : std::span(region.fragments, region.count)) {
    if (offset >= fragment.iov_len) {
      offset -= fragment.iov_len;
      continue;
    }
    if (region.length > fragment.iov_len - offset) return std::nullopt;
    return ByteSpan(static_cast<std::byte*>(fragment.iov_base) + offset, region.length);
  }
  return std::nullopt;
}

}  // namespace ulnet::core
