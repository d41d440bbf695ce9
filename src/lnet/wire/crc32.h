// The checksum of socklnd messages: the usual reflected CRC-32, but without its final inversion.
// Source: spec/wire-socklnd.md 6.1.
#pragma once

#include <cstdint>

#include "lnet/base/bytes.h"

namespace ulnet::wire {

/// A checksum that is computed incrementally.
class Crc32 {
 public:
  void update(ByteView bytes);
  /// The checksum of the bytes so far; 0xffffffff before the first one.
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
