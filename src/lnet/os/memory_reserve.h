// A reserve of memory for a program that must not end for lack of a few bytes. An exception must
// not interrupt a step of the core. So the first allocation with `new` that fails gets the reserve,
// and the program then refuses what it can do without (lnet/lnd/memory_short.h) until memory has
// been given back. malloc() and its kind do not get the reserve: allocations that may fail use
// these.
#pragma once

#include <cstddef>
#include <mutex>

namespace ulnet::node {

/// One at a time, and only in a program that ulnet owns: it installs itself as the process's
/// new-handler, and restores the earlier one when it is destroyed. Any thread.
class MemoryReserve {
 public:
  static constexpr std::size_t kBytes = 4U << 20;

  /// If the memory for the reserve is missing, the process is short of memory from the beginning.
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// Tries to take the reserve again if it was given away. It succeeds if as much memory is free
  /// besides, so that the reserve is not given away again at once. True: the process is not short
  /// of memory. Returns free memory to the system first; call it about every second.
  bool restore();

 private:
  struct Block {
    Block* next;
    std::size_t bytes;
  };
  static constexpr std::size_t kLargest = 64U << 10, kSmallest = 1U << 10;

  static void give_away();
  /// Takes memory until the reserve has `bytes` bytes. False: the system does not have enough.
  bool take(std::size_t bytes);
  /// Frees blocks as long as `but` bytes remain. True: it freed at least one.
  bool release(std::size_t but);

  static MemoryReserve* installed;

  std::mutex lock_;
  // Guarded by lock_:
  Block* blocks_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t given_ = 1;  ///< how often memory was given, plus 1
};

}  // namespace ulnet::node
