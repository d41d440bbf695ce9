// Functions that the fuzzers of topologies and of experiments share.
#pragma once

#include <cstddef>

#include "input.h"
#include "lab/topology/reader.h"

namespace ulnet::fuzz {

/// There is at least one mistake, and each has a reason and perhaps a place.
inline void check(const conf::Problems& mistakes) {
  ULNET_ASSERT(!mistakes.empty());
  for (const auto& mistake : mistakes)
    ULNET_ASSERT(mistake.place.line >= 0 && !mistake.reason.empty());
}

/// Larger topologies take long in pictures and scenarios, and show nothing more.
inline bool is_small(const tools::lab::Topology& topology) {
  constexpr std::size_t kSmall = 64;
  std::size_t rails = 0;
  for (const auto& node : topology.nodes) rails += node.rails.size();
  return rails <= kSmall && topology.nets.size() <= kSmall;
}

}  // namespace ulnet::fuzz
