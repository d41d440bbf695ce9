// Decides which reactor has a peer's connections: one of the peer's CPU partition, and always the
// same one while the NI runs. The owner of the driver gives the function that maps a peer to its
// partition. Source: DESIGN.md 3, spec/core-semantics.md 13.3.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/core/contract/ports.h"
#include "lnet/lnd/placing.h"
#include "lnet/lnd/spin_lock.h"

namespace ulnet::lnd::sock {

/// Maps peers to reactors. Any thread.
class ReactorPlacement {
 public:
  /// `each`: reactors per partition. Partition p has the reactors from p * each on.
  ReactorPlacement(const Placing& placing, unsigned each)
      : of_(placing.of), each_(each), all_(placing.partitions) {
    ULNET_ASSERT(each > 0 && placing.partitions > 0 && (of_ != nullptr || all_.size() == 1));
    std::iota(all_.begin(), all_.end(), 0U);
  }

  unsigned reactors() const { return static_cast<unsigned>(all_.size()) * each_; }
  std::uint32_t partition_of(unsigned reactor) const { return reactor / each_; }

  /// The reactor of a peer of this NI.
  unsigned of(core::NiId ni, const Nid& peer) const {
    if (all_.size() == 1) return each_ == 1 ? 0 : turn(peer);
    if (!any_bound_.load(std::memory_order_acquire)) return of_(peer, all_) * each_ + turn(peer);
    const std::lock_guard hold(lock_);
    const auto at = find(ni);
    return of_(peer, at == bound_.end() ? all_ : at->cpts) * each_ + turn(peer);
  }

  /// From now on the NI's peers are only in these partitions; an empty list: in all partitions.
  void bind(core::NiId ni, const std::vector<std::uint32_t>& cpts) {
    if (cpts.empty()) return;
    const std::lock_guard hold(lock_);
    bound_.push_back({ni, cpts});
    any_bound_.store(true, std::memory_order_release);
  }
  /// The NI is gone: undoes bind().
  void forget(core::NiId ni) {
    const std::lock_guard hold(lock_);
    if (const auto at = find(ni); at != bound_.end()) bound_.erase(at);
    any_bound_.store(!bound_.empty(), std::memory_order_release);
  }

 private:
  struct Bound {
    core::NiId ni;
    std::vector<std::uint32_t> cpts;
  };
  /// The reactor for this peer among those of a partition: 0 to each_ - 1.
  unsigned turn(const Nid& peer) const { return static_cast<unsigned>(NidHash{}(peer) % each_); }
  std::vector<Bound>::const_iterator find(core::NiId ni) const {
    return std::find_if(bound_.begin(), bound_.end(), [&](const Bound& b) { return b.ni == ni; });
  }

  std::uint32_t (*const of_)(const Nid&, std::span<const std::uint32_t>);
  const unsigned each_;
  std::vector<std::uint32_t> all_;  // constant
  std::atomic<bool> any_bound_{false};
  mutable SpinLock lock_;
  std::vector<Bound> bound_;  // NIs that bind() restricted; guarded by lock_
};

}  // namespace ulnet::lnd::sock
