// Memory for the data of bulk RPCs: taken and given back, so that nothing is allocated for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"

namespace ulnet::svc::selftest {

/// A stretch of memory. As new it is zero: nobody reads what was not meant for him.
struct Bulk {
  std::unique_ptr<std::byte[]> memory;
  std::size_t room = 0;    ///< bytes
  std::uint64_t word = 0;  ///< what is known of them: each word of those ...
  std::size_t filled = 0;  ///< ... so many from the front
  explicit operator bool() const { return memory != nullptr; }
};

/// Keeps what was given back, up to a limit, by its size.
class BulkPool {
 public:
  /// At least `bytes` (none for 0), at most limits::kMtu and a page.
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
