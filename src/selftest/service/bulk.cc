#include "selftest/service/bulk.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>

#include "lnet/base/assert.h"

namespace ulnet::svc::selftest {

std::size_t BulkPool::size_of(std::size_t bytes) {
  const std::size_t pages = (bytes + kSmallest - 1) / kSmallest;
  const std::size_t size = pages <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(pages - 1));
  ULNET_ASSERT(size < kSizes);
  return size;
}

std::size_t BulkPool::capacity_for(std::size_t bytes) {
  return bytes == 0 ? 0 : kSmallest << size_of(bytes);
}

Bulk BulkPool::take(std::size_t bytes) {
  if (bytes == 0) return {};
  Kept& kept = kept_[size_of(bytes)];
  if (kept.bulks.empty()) return make(capacity_for(bytes));
  Bulk bulk = std::move(kept.bulks.back());
  kept.bulks.pop_back();
  kept.unused = std::min(kept.unused, kept.bulks.size());
  kept_bytes_ -= bulk.capacity;
  return bulk;
}

Bulk BulkPool::make(std::size_t capacity) {
  MemoryBudget& budget = context_.host.memory();
  const std::uint64_t used = budget.used(MemoryPart::kSelftest);
  if (kept_bytes_ != 0 && used + capacity > budget.share(MemoryPart::kSelftest)) shed();
  if (!budget.take(MemoryPart::kSelftest, capacity)) return {};
  auto* memory = static_cast<std::byte*>(context_.host.zeroed(capacity));
  if (memory == nullptr) {
    budget.give(MemoryPart::kSelftest, capacity);
    budget.refuse(MemoryPart::kSelftest);
    return {};
  }
  return {.memory = {memory, {&budget, capacity}}, .capacity = capacity};
}

void BulkPool::give(Bulk bulk) {
  if (!bulk) return;
  look_later();
  const std::size_t capacity = bulk.capacity;
  freed_ = freed_ || kept_bytes_ + capacity > kKeptBytes;
  if (kept_bytes_ + capacity > kKeptBytes) return;
  try {
    kept_[size_of(capacity)].bulks.push_back(std::move(bulk));
    kept_bytes_ += capacity;
  } catch (const std::bad_alloc&) {  // the memory is then freed
    freed_ = true;
  }
}

void BulkPool::shed() {
  for (Kept& kept : kept_) kept = {};
  kept_bytes_ = 0;
  freed_ = true;
  look_later();
}

void BulkPool::look_later() {
  if (!look_.armed()) context_.alarms.arm(look_, context_.host.now() + kLook);
}

void BulkPool::free_unused() {
  for (Kept& kept : kept_) {
    const auto begin = kept.bulks.begin();
    const auto end = std::next(begin, static_cast<std::ptrdiff_t>(kept.unused));
    for (auto bulk = begin; bulk != end; ++bulk) kept_bytes_ -= bulk->capacity;
    freed_ = freed_ || begin != end;
    kept.bulks.erase(begin, end);
    kept.unused = kept.bulks.size();
  }
  if (kept_bytes_ != 0) look_later();
  if (std::exchange(freed_, false)) context_.host.trim();
}

}  // namespace ulnet::svc::selftest
