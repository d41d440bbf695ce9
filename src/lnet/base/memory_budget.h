// One budget of bytes for the memory that other nodes and clients can make a node keep: held
// payload, selftest's buffers, answers of the control API. Each part has a share, so that a part
// that is full does not use up the shares of the others. Code that would exceed a share gets a
// refusal, and then waits or refuses a request itself, as the part requires. Source:
// decision 109.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ulnet {

enum class MemoryPart : std::uint8_t {
  kHeld,      ///< payload of messages that wait for a buffer
  kAnswers,   ///< ACKs and REPLYs that wait for a credit
  kForwards,  ///< a router's buffers
  kSelftest,  ///< buffers of selftest, as client and as server
  kControl,   ///< answers of the control API that are being made or sent
  kCount,
};

inline constexpr std::size_t kMemoryParts = static_cast<std::size_t>(MemoryPart::kCount);

const char* to_string(MemoryPart part);

/// One thread at a time may use it; several threads may use a SharedMemoryBudget
/// (lnet/node/runtime/shared_memory_budget.h).
class MemoryBudget {
 public:
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  explicit MemoryBudget(std::uint64_t bytes = kUnlimited) : bytes_(bytes) {}
  virtual ~MemoryBudget() = default;
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Changes the budget. Bytes that are taken stay taken, even if they exceed the new share.
  void set(std::uint64_t bytes);
  std::uint64_t bytes() const;
  /// The bytes that this part may have. All shares together are the budget.
  std::uint64_t share(MemoryPart part) const;

  /// Takes bytes for a part. False: its share has fewer bytes left, and the refusal is counted.
  bool take(MemoryPart part, std::uint64_t bytes);
  /// Counts a refusal for another reason: the system has no memory.
  void refuse(MemoryPart part);
  /// Returns bytes that were taken for the part.
  void give(MemoryPart part, std::uint64_t bytes);

  /// The use of a part's share; in bytes, but for `refused`.
  struct Account {
    std::uint64_t used = 0;
    std::uint64_t peak = 0;     ///< the most that was ever used at once
    std::uint64_t refused = 0;  ///< the number of failed take() and of refuse() calls
  };
  Account account(MemoryPart part) const;
  std::uint64_t used(MemoryPart part) const { return account(part).used; }
  std::uint64_t peak(MemoryPart part) const { return account(part).peak; }
  std::uint64_t refused(MemoryPart part) const { return account(part).refused; }

 private:
  class Inside;
  /// Each call begins with enter() and ends with leave(), for a budget that several threads use.
  virtual void enter() const {}
  virtual void leave() const {}

  std::uint64_t bytes_;
  std::array<Account, kMemoryParts> accounts_;
};

/// Bytes of one part of a budget, taken as needed and returned when the object is destroyed. One
/// thread at a time. The budget must outlive it.
class MemoryTaken {
 public:
  MemoryTaken(MemoryBudget& budget, MemoryPart part) : budget_(&budget), part_(part) {}
  ~MemoryTaken() { budget_->give(part_, bytes_); }
  MemoryTaken(const MemoryTaken&) = delete;
  MemoryTaken& operator=(const MemoryTaken&) = delete;

  /// As MemoryBudget::take().
  bool more(std::uint64_t bytes) {
    if (!budget_->take(part_, bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  /// Returns some of the bytes, at most those taken.
  void less(std::uint64_t bytes) {
    budget_->give(part_, bytes);
    bytes_ -= bytes;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  MemoryBudget* const budget_;
  const MemoryPart part_;
  std::uint64_t bytes_ = 0;
};

}  // namespace ulnet
