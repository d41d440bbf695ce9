// Returns memory that is no longer needed to the system. After a peak the C library keeps freed
// memory; it learns to keep even large blocks that it returned at once before. A control group
// counts that memory, and a user who watches the daemon's resident size would take it for a leak.
// Source: docs/SECURITY.md.
#pragma once

#include <chrono>
#include <cstdint>

namespace ulnet::tools {

class SpareMemory {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit SpareMemory(Time now) : last_(now) {}

  /// Whether to look: every five seconds.
  bool is_due(Time now) const { return now - last_ >= kGap; }
  /// `free`: the bytes that the C library has and the program does not use, whether or not their
  /// pages were returned to the system. True: the caller should return memory, because much of it
  /// was free both at the last look and now. Memory that was returned and not used since does not
  /// count.
  bool look(Time now, std::uint64_t free);
  /// Notes that the memory was returned; `free` is the present value.
  void given_back(std::uint64_t free);

 private:
  static constexpr std::chrono::seconds kGap{5};
  static constexpr std::uint64_t kMinGivenBack = 1U << 20;
  Time last_;
  std::uint64_t free_before_ = 0;
  std::uint64_t given_back_ = 0;  ///< the most free bytes whose pages may be with the system
};

/// Looks, and returns memory, if it is due. Threads that allocate wait meanwhile: when 380 MiB were
/// returned, the longest ping took 0.09 s.
void give_spare_memory_back(SpareMemory& spare, SpareMemory::Time now);

}  // namespace ulnet::tools
