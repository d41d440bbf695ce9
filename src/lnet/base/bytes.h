// Reading and writing integers with bounds checks. Untrusted bytes become integers only through
// this header.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "lnet/base/assert.h"

namespace ulnet {

using ByteView = std::span<const std::byte>;
using ByteSpan = std::span<std::byte>;

/// The byte order of integers in a byte stream.
enum class Order : std::uint8_t { kLittle, kBig };

template <class T>
constexpr T swap_bytes(T value) {
  if constexpr (sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

/// Reads a little-endian integer that is known to be in bounds: for hot paths with fixed offsets.
template <class T>
requires std::is_integral_v<T> T load_le(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return std::endian::native == std::endian::little ? value : swap_bytes(value);
}
/// As load_le(), in either byte order.
template <class T>
requires std::is_integral_v<T> T load(const std::byte* from, Order order) {
  const T value = load_le<T>(from);
  return order == Order::kLittle ? value : swap_bytes(value);
}
/// Writes a little-endian integer; the caller has checked that it fits.
template <class T>
requires std::is_integral_v<T>
void store_le(std::byte* to, T value) {
  if constexpr (std::endian::native != std::endian::little) value = swap_bytes(value);
  std::memcpy(to, &value, sizeof value);
}

/// Reads integers from the front of a view. Past its end all reads give zero and ok() is false
/// from then on. So a decoder reads a whole structure and then checks ok() once.
class Reader {
 public:
  explicit Reader(ByteView bytes, Order order = Order::kLittle) : rest_(bytes), order_(order) {}

  template <class T>
  requires std::is_integral_v<T> T get() {
    T value = 0;
    if (!take(&value, sizeof value)) return 0;
    const bool native = (order_ == Order::kLittle) == (std::endian::native == std::endian::little);
    return native ? value : swap_bytes(value);
  }
  std::uint8_t u8() { return get<std::uint8_t>(); }
  std::uint16_t u16() { return get<std::uint16_t>(); }
  std::uint32_t u32() { return get<std::uint32_t>(); }
  std::uint64_t u64() { return get<std::uint64_t>(); }
  template <std::size_t N>
  std::array<std::uint8_t, N> raw() {
    std::array<std::uint8_t, N> bytes{};
    take(bytes.data(), N);
    return bytes;
  }
  void skip(std::size_t count) { take(nullptr, count); }
  void set_order(Order order) { order_ = order; }

  bool ok() const { return ok_; }
  ByteView rest() const { return rest_; }

 private:
  bool take(void* to, std::size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return false;
    }
    if (to != nullptr && count != 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return true;
  }

  ByteView rest_;
  Order order_;
  bool ok_ = true;
};

/// Writes integers to the front of a span. The caller has sized it: running over its end is a
/// programmer error.
class Writer {
 public:
  explicit Writer(ByteSpan bytes, Order order = Order::kLittle) : rest_(bytes), order_(order) {}

  template <class T>
  requires std::is_integral_v<T>
  void put(T value) {
    const bool native = (order_ == Order::kLittle) == (std::endian::native == std::endian::little);
    if (!native) value = swap_bytes(value);
    bytes(&value, sizeof value);
  }
  void u8(std::uint8_t v) { put(v); }
  void u16(std::uint16_t v) { put(v); }
  void u32(std::uint32_t v) { put(v); }
  void u64(std::uint64_t v) { put(v); }
  void bytes(const void* from, std::size_t count) {
    ULNET_ASSERT(count <= rest_.size());
    if (count != 0) std::memcpy(rest_.data(), from, count);
    rest_ = rest_.subspan(count);
  }
  void zeros(std::size_t count) {
    ULNET_ASSERT(count <= rest_.size());
    if (count != 0) std::memset(rest_.data(), 0, count);
    rest_ = rest_.subspan(count);
  }
  ByteSpan rest() const { return rest_; }

 private:
  ByteSpan rest_;
  Order order_;
};

}  // namespace ulnet
