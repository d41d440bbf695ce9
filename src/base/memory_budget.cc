#include "base/memory_budget.h"

#include "base/assert.h"

namespace ulnet {
namespace {

struct Row {
  MemoryPart part;
  const char* name;
  unsigned sixteenths;  ///< of the budget
};

/// In the order of the enumerators.
constexpr std::array<Row, kMemoryParts> kRows{{
    {MemoryPart::kHeld, "held", 4},
    {MemoryPart::kAnswers, "answers", 2},
    {MemoryPart::kForwards, "forwards", 4},
    {MemoryPart::kSelftest, "selftest", 4},
    {MemoryPart::kControl, "control", 2},
}};

constexpr bool shares_make_the_whole() {
  unsigned sum = 0;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].part) != i) return false;
    sum += kRows[i].sixteenths;
  }
  return sum == 16;
}
static_assert(shares_make_the_whole());

const Row& row_of(MemoryPart part) { return kRows[static_cast<std::size_t>(part)]; }

}  // namespace

const char* to_string(MemoryPart part) { return row_of(part).name; }

std::uint64_t MemoryBudget::share(MemoryPart part) const {
  const std::uint64_t all = bytes();
  return all == kUnlimited ? kUnlimited : all / 16 * row_of(part).sixteenths;
}

bool MemoryBudget::take(MemoryPart part, std::uint64_t bytes) {
  Account& account = of(part);
  const std::uint64_t most = share(part);
  std::uint64_t used = account.used.load(std::memory_order_relaxed);
  do {
    if (used > most || bytes > most - used) {
      account.refused.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  } while (!account.used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  used += bytes;
  std::uint64_t peak = account.peak.load(std::memory_order_relaxed);
  while (peak < used &&
         !account.peak.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
  }
  return true;
}

void MemoryBudget::give(MemoryPart part, std::uint64_t bytes) {
  const std::uint64_t before = of(part).used.fetch_sub(bytes, std::memory_order_relaxed);
  ULNET_ASSERT(before >= bytes);
}

std::uint64_t MemoryBudget::used(MemoryPart part) const {
  return of(part).used.load(std::memory_order_relaxed);
}
std::uint64_t MemoryBudget::peak(MemoryPart part) const {
  return of(part).peak.load(std::memory_order_relaxed);
}
std::uint64_t MemoryBudget::refused(MemoryPart part) const {
  return of(part).refused.load(std::memory_order_relaxed);
}

}  // namespace ulnet
