// The bytes that the demo moves: every one follows from a seed and its position, so that a byte
// that is wrong, missing, stale or in the wrong place is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ulnet::demo {

/// One seed for each message: its size and its number decide.
constexpr std::uint64_t seed_of(std::uint64_t size, std::uint64_t sequence) {
  return (size << 40 ^ sequence) * 0x9e3779b97f4a7c15ULL | 1;
}

/// Eight bytes of the pattern, those from position 8 * `word` on.
constexpr std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t word) {
  std::uint64_t x = seed + word * 0xd1342543de82ef95ULL;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ x >> 32;
}
constexpr std::byte pattern_byte(std::uint64_t seed, std::uint64_t position) {
  return static_cast<std::byte>(pattern_word(seed, position / 8) >> 8 * (position % 8));
}

/// Fills `bytes` with the pattern from `position` on.
inline void fill(std::span<std::byte> bytes, std::uint64_t seed, std::uint64_t position = 0) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern_byte(seed, position + i);
}

/// How many of `bytes` are not the pattern from `position` on.
inline std::uint64_t count_wrong(std::span<const std::byte> bytes, std::uint64_t seed,
                                 std::uint64_t position = 0) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    wrong += bytes[i] != pattern_byte(seed, position + i) ? 1 : 0;
  }
  return wrong;
}

}  // namespace ulnet::demo
