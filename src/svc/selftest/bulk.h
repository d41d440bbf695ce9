// Memory for the data of bulk RPCs, used again and again so that an RPC allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"

namespace ulnet::svc::selftest {

/// A piece of memory. New memory is zeroed, so that a peer never reads other data of this
/// process.
struct Bulk {
  std::unique_ptr<std::byte[]> memory;
  std::size_t room = 0;    ///< bytes
  std::uint64_t word = 0;  ///< the value of each word in ...
  std::size_t filled = 0;  ///< ... this many bytes from the front; 0: contents not known
  explicit operator bool() const { return memory != nullptr; }
};

/// Keeps the memory that is given back, by its size, up to a limit.
class BulkPool {
 public:
  /// At least `bytes` (none for 0); `bytes` is at most limits::kMtu and a page.
  Bulk take(std::size_t bytes);
  void give(Bulk bulk);

 private:
  static constexpr std::size_t kSmallest = 4096;
  static constexpr std::size_t kSizes = 10;  ///< 4 KiB to 2 MiB
  static constexpr std::size_t kKeptBytes = 64U << 20;
  std::array<std::vector<Bulk>, kSizes> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace ulnet::svc::selftest
