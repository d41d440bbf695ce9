// A lock for what CPU partitions share: one private lock per partition, or all of them exclusively.
// Who holds a private lock may change what is his partition's and read what is everybody's; who
// changes what is everybody's holds them all. Not for waiting: hold it for a moment only. Source:
// the SMP node affinity design, "Per-cpu-partition-lock".
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/assert.h"
#include "base/cache_line.h"

namespace ulnet::node {

class PercptLock {
 public:
  explicit PercptLock(std::uint32_t count)
      : count_(count), locks_(std::make_unique<Private[]>(count)) {
    ULNET_ASSERT(count > 0);
  }

  /// A number below the count: that partition's lock; negative: all, in their order.
  void lock(std::int32_t cpt) {
    if (cpt >= 0) return of(cpt).lock();
    for (std::uint32_t i = 0; i < count_; ++i) locks_[i].mutex.lock();
  }
  void unlock(std::int32_t cpt) {
    if (cpt >= 0) return of(cpt).unlock();
    for (std::uint32_t i = count_; i-- > 0;) locks_[i].mutex.unlock();
  }

  /// For as long as it lives.
  class Hold {
   public:
    Hold(PercptLock& lock, std::int32_t cpt) : lock_(lock), cpt_(cpt) { lock_.lock(cpt_); }
    ~Hold() { lock_.unlock(cpt_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    PercptLock& lock_;
    const std::int32_t cpt_;
  };

 private:
  struct alignas(kCacheLinePair) Private {
    std::mutex mutex;
  };
  std::mutex& of(std::int32_t cpt) {
    ULNET_ASSERT(static_cast<std::uint32_t>(cpt) < count_);
    return locks_[static_cast<std::size_t>(cpt)].mutex;
  }

  const std::uint32_t count_;
  const std::unique_ptr<Private[]> locks_;
};

}  // namespace ulnet::node
