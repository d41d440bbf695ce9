// A set of small numbers, one bit each; above all for sets of CPU partitions.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace ulnet {

/// A set of numbers below N. A value; it allocates nothing.
template <std::uint32_t N>
class BitSet {
 public:
  constexpr BitSet() = default;
  constexpr BitSet(std::initializer_list<std::uint32_t> members) {
    for (const std::uint32_t member : members) insert(member);
  }
  /// All numbers below `end`; `end` is at most N.
  static constexpr BitSet below(std::uint32_t end) {
    BitSet set;
    for (std::uint32_t i = 0; i < end / 64; ++i) set.words_[i] = ~0ULL;
    if (end % 64 != 0) set.words_[end / 64] = (1ULL << end % 64) - 1;
    return set;
  }

  constexpr bool empty() const { return *this == BitSet(); }
  constexpr bool contains(std::uint32_t member) const {
    return (words_[member / 64] >> member % 64 & 1) != 0;
  }
  constexpr void insert(std::uint32_t member) { words_[member / 64] |= 1ULL << member % 64; }
  constexpr void erase(std::uint32_t member) { words_[member / 64] &= ~(1ULL << member % 64); }
  /// The least member that is at least `from`; N if no member is.
  constexpr std::uint32_t next(std::uint32_t from) const {
    std::uint64_t mask = ~0ULL << from % 64;
    for (std::size_t i = from / 64; i < words_.size(); ++i, mask = ~0ULL)
      if (const std::uint64_t left = words_[i] & mask)
        return static_cast<std::uint32_t>(i * 64) +
               static_cast<std::uint32_t>(std::countr_zero(left));
    return N;
  }
  /// Calls fn(member) for each member, in ascending order.
  template <class Fn>
  constexpr void for_each(Fn&& fn) const {
    for (std::uint32_t member = next(0); member < N; member = next(member + 1)) fn(member);
  }

  constexpr BitSet& operator|=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr BitSet& operator&=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  /// Removes the members of `other`.
  constexpr BitSet& operator-=(const BitSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend constexpr BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
  friend constexpr BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
  friend constexpr BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
  constexpr bool operator==(const BitSet&) const = default;

 private:
  std::array<std::uint64_t, (N + 63) / 64> words_{};
};

}  // namespace ulnet
