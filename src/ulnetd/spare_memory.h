// Gives memory that nobody needs any more back to the system. After a peak the C library keeps what
// was freed: of blocks of some size it learns to keep even those that it first gave back at once.
// Who watches the daemon's resident size would take that for a leak, and a control group counts
// it. Source: docs/SECURITY.md.
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
  /// `free`: the bytes that the C library has and the program does not use, whether the system
  /// has their pages back or not. True: so much of it was free at the look before and is free now
  /// that it is to be given back. What has been given back and was not used since does not count.
  bool look(Time now, std::uint64_t free);
  /// It was given back; `free` as it is now.
  void given_back(std::uint64_t free);

 private:
  static constexpr std::chrono::seconds kGap{5};
  static constexpr std::uint64_t kWorthIt = 1U << 20;
  Time last_;
  std::uint64_t free_before_ = 0;
  std::uint64_t given_back_ = 0;  ///< what of the free bytes the system has back, at most
};

/// Looks, and gives back, if it is due. Threads that allocate wait meanwhile: where 380 MiB went
/// back, the longest ping took 0.09 s.
void give_spare_memory_back(SpareMemory& spare, SpareMemory::Time now);

}  // namespace ulnet::tools
