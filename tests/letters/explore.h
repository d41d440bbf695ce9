// Plays a street in every order, or in many by chance.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/rng.h"
#include "street.h"

namespace ulnet::core::letters {

struct Explored {
  std::size_t states = 0;  ///< different ones that were seen
  std::size_t ends = 0;    ///< of them without a next move
  std::string wrong;       ///< the first thing that was, with the moves to it; else empty
};

using MakeStreet = std::function<std::unique_ptr<Street>()>;

/// Every order of everything, each state once.
Explored explore_all(const MakeStreet& make);
/// One order, by chance.
Explored play(const MakeStreet& make, Rng rng);

}  // namespace ulnet::core::letters
