// Memory for the data of bulk RPCs, used again and again so that an RPC allocates nothing. All of
// it is taken from the share of selftest in the node's memory budget, also what is kept for later.
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

/// A piece of memory. New memory is zeroed, so that a peer never reads other data of this
/// process.
struct Bulk {
  std::unique_ptr<std::byte[], FreeBulk> memory;
  std::size_t room = 0;    ///< bytes
  std::uint64_t word = 0;  ///< the value of each word in ...
  std::size_t filled = 0;  ///< ... this many bytes from the front; 0: contents not known
  explicit operator bool() const { return memory != nullptr; }
};

/// Keeps the memory that is given back, by its size, up to a limit. What nobody needed for kLook
/// is freed.
class BulkPool {
 public:
  static constexpr Duration kLook = std::chrono::seconds(5);

  explicit BulkPool(Context& context) : context_(context) {}

  /// How much memory take() takes for so many bytes.
  static std::size_t room_for(std::size_t bytes);
  /// At least `bytes` (none for 0); `bytes` is at most limits::kMtu and a page. Nothing, counted by
  /// the budget: the share has not so much left, or the system has no memory.
  Bulk take(std::size_t bytes);
  void give(Bulk bulk);
  /// Frees what is kept, and has the host give freed memory back to the system soon: also for what
  /// others freed.
  void shed();

 private:
  static constexpr std::size_t kSmallest = 4096;
  static constexpr std::size_t kSizes = 10;  ///< 4 KiB to 2 MiB
  static constexpr std::size_t kKeptBytes = 64U << 20;
  struct Kept {
    std::vector<Bulk> bulks;
    std::size_t unused = 0;  ///< so many of them were there ever since the last look
  };
  struct Look final : Alarm {
    explicit Look(BulkPool& owner) : pool(owner) {}
    void ring() override { pool.free_unused(); }
    BulkPool& pool;
  };

  static std::size_t size_of(std::size_t bytes);
  Bulk make(std::size_t room);
  void free_unused();
  void look_later();

  Context& context_;
  std::array<Kept, kSizes> kept_;
  std::size_t kept_bytes_ = 0;
  bool freed_ = false;  ///< memory was freed since the host was last told
  Look look_{*this};
};

}  // namespace ulnet::svc::selftest
