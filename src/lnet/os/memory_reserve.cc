#include "lnet/os/memory_reserve.h"

#include <malloc.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "lnet/base/assert.h"
#include "lnet/lnd/memory_short.h"

namespace ulnet::node {
namespace {

/// The value of MemoryReserve::given_ when the new-handler last let this thread try again. The TLS
/// model is one that needs no allocation when the thread first reads the variable.
[[gnu::tls_model("initial-exec")]] thread_local std::size_t tried_after = 0;

}  // namespace

MemoryReserve* MemoryReserve::installed = nullptr;

MemoryReserve::MemoryReserve() {
  ULNET_ASSERT(installed == nullptr);
  installed = this;
  lnd::memory_is_short = !take(kBytes);
  std::set_new_handler(&give_away);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(nullptr);
  lnd::memory_is_short = false;
  const std::lock_guard hold(lock_);
  release(0);
  installed = nullptr;
}

bool MemoryReserve::restore() {
  if (!lnd::memory_is_short) return true;
  malloc_trim(0);
  const bool enough = take(2 * kBytes);
  const std::lock_guard hold(lock_);
  // Another thread may have taken some of it just now.
  const bool kept = enough && bytes_ >= kBytes;
  release(kept ? kBytes : 0);
  lnd::memory_is_short = !kept;
  return kept;
}

/// Takes blocks as small as necessary, because free memory is in pieces. Takes each under the lock
/// and keeps it where give_away() finds it, so that no allocation fails meanwhile for memory that
/// was taken here.
bool MemoryReserve::take(std::size_t bytes) {
  // A malloc() that fails looks into one arena of another thread, each time into the next one.
  constexpr unsigned kTries = 16;
  for (std::size_t size = kLargest; size >= kSmallest; size /= 4)
    for (unsigned failures = 0; failures < kTries;) {
      const std::lock_guard hold(lock_);
      if (bytes_ >= bytes) return true;
      void* const memory = std::malloc(size);
      if (memory == nullptr) {
        ++failures;
        continue;
      }
      failures = 0;
      blocks_ = new (memory) Block{blocks_, size};
      bytes_ += size;
    }
  return false;
}

bool MemoryReserve::release(std::size_t but) {
  const Block* const first = blocks_;
  while (blocks_ != nullptr && bytes_ - blocks_->bytes >= but) {
    bytes_ -= blocks_->bytes;
    std::free(std::exchange(blocks_, blocks_->next));
  }
  if (blocks_ == first) return false;
  ++given_;
  return true;
}

/// The new-handler: returns when the allocation is worth trying again. A thread tries again once
/// after each time that memory was given to it or to another thread: if two threads fail at once,
/// one of them gives away the reserve for both.
void MemoryReserve::give_away() {
  MemoryReserve& self = *installed;
  const std::lock_guard hold(self.lock_);
  if (self.release(0)) lnd::memory_is_short = true;
  if (tried_after == self.given_) throw std::bad_alloc();
  tried_after = self.given_;
}

}  // namespace ulnet::node
