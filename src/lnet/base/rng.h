// A small pseudo-random generator (splitmix64). Code that needs randomness takes an Rng as an
// argument and never chooses a seed itself, so that the caller can repeat a run.
#pragma once

#include <cstdint>

namespace ulnet {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  /// A number from 0 to bound - 1, uniform but for a bias below bound / 2^64. `bound` must not be
  /// 0.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ulnet
