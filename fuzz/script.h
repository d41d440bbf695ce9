// A fuzzer's input as a script: numbers and choices from its front. After its end everything is
// zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lnet/base/bytes.h"

namespace ulnet::fuzz {

class Script {
 public:
  explicit Script(ByteView bytes) : rest_(bytes) {}

  bool ended() const { return rest_.empty(); }
  std::uint8_t u8() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  bool flag() { return (u8() & 1) != 0; }
  /// Mostly small, at most `max`.
  std::uint32_t length(std::uint32_t max) {
    const std::uint32_t value = u8();
    return std::min(value < 200 ? value : (value - 199) * 4096, max);
  }
  template <class Table>
  const auto& pick(const Table& table) {
    return table[u8() % std::size(table)];
  }
  ByteView bytes(std::size_t most) {
    const ByteView taken = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  ByteView rest_;
};

}  // namespace ulnet::fuzz
