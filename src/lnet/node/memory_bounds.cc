#include "lnet/node/memory_bounds.h"

#include <algorithm>

#include "lnet/base/limits.h"

namespace ulnet::node {
namespace {

enum : std::uint8_t { kTiny, kSmall, kLarge };
/// Payload bytes of a router's buffer of each kind (spec/core-semantics.md 10.3).
constexpr std::array<std::uint64_t, 3> kBytes{0, 4096, limits::kMtu};
/// The small buffers may take one part in this many of the bytes, the large ones the rest.
constexpr std::uint64_t kPartOfSmall = 8;

std::int32_t at_most(std::int32_t standard, std::uint64_t bytes, std::uint64_t each) {
  const std::uint64_t fit = std::max<std::uint64_t>(bytes / each, 1);
  return static_cast<std::int32_t>(
      std::min<std::uint64_t>(static_cast<std::uint32_t>(standard), fit));
}

}  // namespace

std::array<std::int32_t, 3> buffers_within(std::uint64_t bytes) {
  const std::uint64_t small = bytes / kPartOfSmall;
  return {core::kRouterBuffers[kTiny], at_most(core::kRouterBuffers[kSmall], small, kBytes[kSmall]),
          at_most(core::kRouterBuffers[kLarge], bytes - small, kBytes[kLarge])};
}

std::uint64_t buffer_bytes_of(const core::Routing& routing) {
  std::uint64_t bytes = 0;
  for (std::size_t kind = 0; kind < kBytes.size(); ++kind) {
    const std::int32_t asked = routing.buffers[kind];
    bytes += kBytes[kind] * static_cast<std::uint32_t>(asked > 0 ? asked : routing.standard[kind]);
  }
  return bytes;
}

std::uint32_t answers_within(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / limits::kAnswerBytes, ~0U));
}

}  // namespace ulnet::node
