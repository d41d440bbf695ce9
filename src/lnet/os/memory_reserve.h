// A reserve of memory for a program that must not end for want of a few bytes. The core's steps
// cannot be interrupted by an exception; so the first allocation with `new` that fails gets the
// reserve, and the program has time to refuse what it can do without (lnet/lnd/memory_short.h)
// until others have given memory back. malloc() and its kind do not get it: what may fail uses
// these.
#pragma once

#include <cstddef>
#include <mutex>

namespace ulnet::node {

/// One at a time, and only in a program that ulnet owns: it takes the process's new-handler, and
/// gives it back at the end of its life. Any thread.
class MemoryReserve {
 public:
  static constexpr std::size_t kBytes = 4U << 20;

  /// Without the memory for it the process is short of memory from the beginning.
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// Tries to have the reserve again, if it was given away: when there is as much besides, so that
  /// it is not given away at once. True: the process is not short of memory. Has free memory given
  /// back to the system first; call it every second or so.
  bool restore();

 private:
  struct Block {
    Block* next;
    std::size_t bytes;
  };
  static constexpr std::size_t kLargest = 64U << 10, kSmallest = 1U << 10;

  static void give_away();
  /// Takes until it has so many bytes. False: there are not so many.
  bool take(std::size_t bytes);
  /// Frees all blocks but so many bytes. True: there was one to free.
  bool release(std::size_t but);

  static MemoryReserve* installed;

  std::mutex lock_;
  // Guarded by lock_:
  Block* blocks_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t given_ = 1;  ///< how often memory was given, and 1
};

}  // namespace ulnet::node
