// Random generators from one seed: every component has its own, which its name selects. A component
// that is added, or that draws more often, therefore does not change what another one draws.
// Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <string_view>

#include "lnet/base/rng.h"
#include "lnet/base/time.h"

namespace ulnet::sim {

/// The generator of the component `name` under `seed`.
inline Rng rng_for(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return Rng(Rng(seed ^ hash).next() ^ hash);
}

/// A duration from 0 to `most`.
inline Duration up_to(Rng& rng, Duration most) {
  const auto bound = static_cast<std::uint64_t>(most.count()) + 1;
  return Duration(static_cast<std::int64_t>(rng.below(bound)));
}

/// True with a probability of `per_million` in a million.
inline bool chance(Rng& rng, std::uint32_t per_million) {
  return rng.below(1'000'000) < per_million;
}

}  // namespace ulnet::sim
