// A FIFO of bytes, for virtual TCP. It grows to the power of two that holds all its bytes, and
// allocates nothing before the first byte.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>

#include "lnet/base/assert.h"

namespace ulnet::sim {

class ByteRing {
 public:
  std::size_t size() const { return size_; }

  /// Appends the first `bytes` of the fragments `from`.
  void put(const iovec* from, std::size_t bytes) {
    if (size_ + bytes > capacity_) grow(size_ + bytes);
    for (; bytes != 0; ++from) {
      const std::size_t part = std::min(bytes, from->iov_len);
      copy_in(static_cast<const std::byte*>(from->iov_base), part);
      bytes -= part;
    }
  }
  /// Removes the oldest `bytes` and copies them to the fragments `to`.
  void take(const iovec* to, std::size_t bytes) {
    ULNET_ASSERT(bytes <= size_);
    for (; bytes != 0; ++to) {
      const std::size_t part = std::min(bytes, to->iov_len);
      copy_out(static_cast<std::byte*>(to->iov_base), part);
      bytes -= part;
    }
  }
  /// Keeps the oldest `bytes` and discards the newer ones.
  void keep(std::size_t bytes) { size_ = std::min(size_, bytes); }

 private:
  void copy_in(const std::byte* from, std::size_t bytes) {
    const std::size_t at = (begin_ + size_) & (capacity_ - 1);
    const std::size_t first = std::min(bytes, capacity_ - at);
    if (first != 0) std::memcpy(memory_.get() + at, from, first);
    if (bytes != first) std::memcpy(memory_.get(), from + first, bytes - first);
    size_ += bytes;
  }
  void copy_out(std::byte* to, std::size_t bytes) {
    const std::size_t first = std::min(bytes, capacity_ - begin_);
    if (first != 0) std::memcpy(to, memory_.get() + begin_, first);
    if (bytes != first) std::memcpy(to + first, memory_.get(), bytes - first);
    size_ -= bytes;
    begin_ = size_ == 0 ? 0 : (begin_ + bytes) & (capacity_ - 1);
  }
  void grow(std::size_t bytes) {
    const std::size_t capacity = std::max<std::size_t>(1024, std::bit_ceil(bytes));
    auto memory = std::make_unique_for_overwrite<std::byte[]>(capacity);
    const std::size_t held = size_;
    copy_out(memory.get(), held);
    memory_ = std::move(memory);
    capacity_ = capacity;
    begin_ = 0;
    size_ = held;
  }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;  ///< a power of two, or 0
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace ulnet::sim
