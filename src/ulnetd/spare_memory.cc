#include "ulnetd/spare_memory.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

namespace ulnet::tools {

bool SpareMemory::look(Time now, std::uint64_t free) {
  last_ = now;
  given_back_ = std::min(given_back_, free);
  const std::uint64_t before = std::exchange(free_before_, free);
  return std::min(before, free) >= given_back_ + kMinGivenBack;
}

void SpareMemory::given_back(std::uint64_t free) { free_before_ = given_back_ = free; }

void give_spare_memory_back(SpareMemory& spare, SpareMemory::Time now) {
  if (!spare.is_due(now) || !spare.look(now, mallinfo2().fordblks)) return;
  malloc_trim(0);
  spare.given_back(mallinfo2().fordblks);
}

}  // namespace ulnet::tools
