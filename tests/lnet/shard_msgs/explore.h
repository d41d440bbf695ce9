// Plays a node (explored_node.h) in every possible order of its moves, or in one random order.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "explored_node.h"
#include "lnet/base/rng.h"

namespace ulnet::core::shard_msgs {

struct Explored {
  std::size_t states = 0;  ///< different states seen; for play(): moves made
  std::size_t ends = 0;    ///< states without a further move
  std::string wrong;       ///< the first error with the moves that lead to it; empty: no error
};

using MakeNode = std::function<std::unique_ptr<ExploredNode>()>;

/// Plays all orders, but visits each state only once. Stops at the first error.
Explored explore_all(const MakeNode& make);
/// Plays one order, which `rng` draws.
Explored play(const MakeNode& make, Rng rng);

}  // namespace ulnet::core::shard_msgs
