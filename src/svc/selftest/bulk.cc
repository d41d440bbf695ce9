#include "svc/selftest/bulk.h"

#include <bit>
#include <utility>

#include "base/assert.h"

namespace ulnet::svc::selftest {

Bulk BulkPool::take(std::size_t bytes) {
  if (bytes == 0) return {};
  const std::size_t pages = (bytes + kSmallest - 1) / kSmallest;
  const std::size_t size = pages <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(pages - 1));
  ULNET_ASSERT(size < kSizes);
  auto& kept = kept_[size];
  if (!kept.empty()) {
    Bulk bulk = std::move(kept.back());
    kept.pop_back();
    kept_bytes_ -= bulk.room;
    return bulk;
  }
  const std::size_t room = kSmallest << size;
  return {.memory = std::make_unique<std::byte[]>(room), .room = room};
}

void BulkPool::give(Bulk bulk) {
  if (!bulk || kept_bytes_ + bulk.room > kKeptBytes) return;
  kept_bytes_ += bulk.room;
  const auto size = static_cast<std::size_t>(std::bit_width(bulk.room / kSmallest) - 1);
  kept_[size].push_back(std::move(bulk));
}

}  // namespace ulnet::svc::selftest
