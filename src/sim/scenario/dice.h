// Draws random numbers for a world, from one generator.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>

#include "sim/kernel/seeds.h"

namespace ulnet::sim {

class Dice {
 public:
  explicit Dice(Rng rng) : rng_(rng) {}
  /// Continues with another generator.
  void take(Rng rng) { rng_ = rng; }

  std::uint64_t next() { return rng_.next(); }
  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }
  /// True with a probability of `percent` in a hundred.
  bool often(std::uint32_t percent) { return below(100) < percent; }
  /// From 1 us to about 2^`doublings` us; every power of two is as likely.
  Duration spread(std::uint32_t doublings) {
    const std::uint64_t power = below(doublings);
    const std::uint64_t rest = below(1ULL << power);
    return std::chrono::microseconds((1ULL << power) + rest);
  }
  Duration up_to(Duration most) { return sim::up_to(rng_, most); }
  std::int32_t one_of(std::initializer_list<std::int32_t> values) {
    return values.begin()[below(values.size())];
  }

 private:
  Rng rng_;
};

}  // namespace ulnet::sim
