// The checksum of socklnd messages: the common reflected CRC-32 without its final inversion.
// Source: spec/wire-socklnd.md 6.1.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace ulnet::wire {

/// A running checksum over pieces in order.
class Crc32 {
 public:
  void update(ByteView bytes);
  /// 0xffffffff before the first byte.
  std::uint32_t value() const { return ~inverted_; }

 private:
  std::uint32_t inverted_ = 0;
};

inline std::uint32_t crc32(ByteView bytes) {
  Crc32 crc;
  crc.update(bytes);
  return crc.value();
}

}  // namespace ulnet::wire
