// What every fuzzer needs: its input as bytes or text. A broken property is a failed assertion,
// which is on in every build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/base/bytes.h"

namespace ulnet::fuzz {

inline ByteView bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
/// A copy in a block of exactly this size, so that a sanitizer sees an access beyond its end.
inline std::vector<std::byte> copy_of(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace ulnet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
