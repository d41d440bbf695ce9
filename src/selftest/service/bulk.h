// Memory for the data of bulk RPCs. RPCs reuse it, so an RPC allocates nothing. All of it is taken
// from the share of selftest in the node's memory budget, also the memory that is kept for later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/base/limits.h"
#include "selftest/service/context.h"

namespace ulnet::svc::selftest {

/// Frees memory and gives it back to the budget.
struct FreeBulk {
  MemoryBudget* budget = nullptr;
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const {
    std::free(memory);
    budget->give(MemoryPart::kSelftest, bytes);
  }
};

/// A block of memory. New memory is zeroed, so that a peer never reads other data of this process.
struct Bulk {
  std::unique_ptr<std::byte[], FreeBulk> memory;
  std::size_t capacity = 0;  ///< bytes
  std::uint64_t word = 0;    ///< the value of each word in the filled part
  std::size_t filled = 0;    ///< bytes of the filled part, at the front; 0: contents not known
  explicit operator bool() const { return memory != nullptr; }
};

/// Keeps returned memory for reuse, by its size, up to a limit. Frees memory that no RPC needed for
/// kLook.
class BulkPool {
 public:
  static constexpr Duration kLook = std::chrono::seconds(5);

  explicit BulkPool(Context& context) : context_(context) {}

  /// Returns how much memory take() takes for this many bytes.
  static std::size_t capacity_for(std::size_t bytes);
  /// Returns memory of at least `bytes` (no memory for 0); `bytes` is at most limits::kMtu and a
  /// page. If the share has too little left or the system has no memory, returns nothing, and the
  /// budget counts that.
  Bulk take(std::size_t bytes);
  void give(Bulk bulk);
  /// Frees the kept memory. Requests that the host soon returns freed memory to the system, also
  /// memory that other code freed.
  void shed();

 private:
  static constexpr std::size_t kSmallest = 4096;
  static constexpr std::size_t kSizes = 10;  ///< 4 KiB to 2 MiB
  static constexpr std::size_t kKeptBytes = 64U << 20;
  struct Kept {
    std::vector<Bulk> bulks;
    std::size_t unused = 0;  ///< the least number of kept blocks since the last look
  };

  static std::size_t size_of(std::size_t bytes);
  Bulk make(std::size_t capacity);
  void free_unused();
  void look_later();

  Context& context_;
  std::array<Kept, kSizes> kept_;
  std::size_t kept_bytes_ = 0;
  bool freed_ = false;  ///< memory was freed since the last trim()
  AlarmOf<BulkPool, &BulkPool::free_unused> look_{*this};
};

}  // namespace ulnet::svc::selftest
