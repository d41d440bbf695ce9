#include "lnet/base/memory_budget.h"

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet {
namespace {

struct Row {
  MemoryPart part;
  const char* name;
  unsigned sixteenths;  ///< share of the budget
};

/// In the order of the enumerators.
constexpr std::array<Row, kMemoryParts> kRows{{
    {MemoryPart::kHeld, "held", 4},
    {MemoryPart::kAnswers, "answers", 2},
    {MemoryPart::kForwards, "forwards", 4},
    {MemoryPart::kSelftest, "selftest", 4},
    {MemoryPart::kControl, "control", 2},
}};

constexpr bool shares_add_up() {
  unsigned sum = 0;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].part) != i) return false;
    sum += kRows[i].sixteenths;
  }
  return sum == 16;
}
static_assert(shares_add_up());

const Row& row_of(MemoryPart part) { return kRows[static_cast<std::size_t>(part)]; }

constexpr std::size_t index(MemoryPart part) { return static_cast<std::size_t>(part); }

std::uint64_t share_of(std::uint64_t all, MemoryPart part) {
  return all == MemoryBudget::kUnlimited ? all : all / 16 * row_of(part).sixteenths;
}

}  // namespace

const char* to_string(MemoryPart part) { return row_of(part).name; }

class MemoryBudget::Inside {
 public:
  explicit Inside(const MemoryBudget& budget) : budget_(budget) { budget_.enter(); }
  ~Inside() { budget_.leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const MemoryBudget& budget_;
};

void MemoryBudget::set(std::uint64_t bytes) {
  const Inside inside(*this);
  bytes_ = bytes;
}

std::uint64_t MemoryBudget::bytes() const {
  const Inside inside(*this);
  return bytes_;
}

std::uint64_t MemoryBudget::share(MemoryPart part) const { return share_of(bytes(), part); }

bool MemoryBudget::take(MemoryPart part, std::uint64_t bytes) {
  const Inside inside(*this);
  Account& account = accounts_[index(part)];
  const std::uint64_t most = share_of(bytes_, part);
  if (account.used > most || bytes > most - account.used) {
    ++account.refused;
    return false;
  }
  account.used += bytes;
  account.peak = std::max(account.peak, account.used);
  return true;
}

void MemoryBudget::refuse(MemoryPart part) {
  const Inside inside(*this);
  ++accounts_[index(part)].refused;
}

void MemoryBudget::give(MemoryPart part, std::uint64_t bytes) {
  const Inside inside(*this);
  ULNET_ASSERT(accounts_[index(part)].used >= bytes);
  accounts_[index(part)].used -= bytes;
}

MemoryBudget::Account MemoryBudget::account(MemoryPart part) const {
  const Inside inside(*this);
  return accounts_[index(part)];
}

}  // namespace ulnet
