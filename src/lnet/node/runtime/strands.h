// Strands: one FIFO of events per MD. One thread at a time runs a strand, outside every lock, so
// that the handlers of one MD never overlap and see their events in the order in which the shard
// posted them. Source: DESIGN.md 3, spec/core-semantics.md 4.6, 18.2, 18.3.
//
// A strand exists only while it has events or runs; its memory and that of its events is reused.
// In the steady state nothing is allocated.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "lnet/core/contract/ports.h"
#include "lnet/lnd/spin_lock.h"

namespace ulnet::node {

class DeferredWork;
class Strands;

/// A strand with events: it waits for a thread, or a thread runs it.
struct Strand {
  struct Queued {
    core::Post post;
    /// Written once, by the thread that appends the next event; the running thread reads it
    /// without the lock.
    std::atomic<Queued*> next{nullptr};
  };
  std::uint64_t cookie = 0;
  Strands* owner = nullptr;
  // Used by the thread that has to run the strand:
  Queued* first = nullptr;  ///< never null
  // Guarded by the lock of Strands:
  Queued* last = nullptr;
  Strand* next_in_bucket = nullptr;
  Strand* next_ready = nullptr;  ///< used by the thread that has to run the strand
};

class Strands {
 public:
  /// `host` takes over runs of strands that have waited too long for a busy thread.
  explicit Strands(DeferredWork& host);
  Strands(const Strands&) = delete;
  Strands& operator=(const Strands&) = delete;

  /// Appends an event. Not null: the strand was at rest, and the calling thread has to run() it.
  Strand* append(const core::Post& post);
  /// Handles at most `budget` events of a strand that the calling thread has to run. Sets `more`
  /// when events are left: then the thread has to run the strand again. Returns how many were
  /// handled.
  unsigned run(Strand& strand, unsigned budget, bool& more);
  /// Waits until the strand is at rest. Never from a thread that has strands to run.
  void wait_until_at_rest(std::uint64_t cookie);
  bool at_rest(std::uint64_t cookie);
  /// Waits until every strand is at rest. Never from a thread that has strands to run.
  void wait_until_all_at_rest();
  bool all_at_rest();
  /// How many strands were made so far, and how many of them exist now.
  struct Count {
    std::uint64_t made = 0, live = 0;
  };
  Count count();
  DeferredWork& host() const { return host_; }

 private:
  /// The strand with this cookie in its bucket, or null.
  static Strand* find(Strand* bucket, std::uint64_t cookie);
  /// Makes a strand with one event.
  Strand* make(std::uint64_t cookie, Strand::Queued* queued);
  void retire(Strand& strand);
  template <class Condition>
  void wait_until(Condition condition);
  void grow_buckets();
  Strand*& bucket_of(std::uint64_t cookie) {
    return buckets_[(cookie * 0x9e3779b97f4a7c15ULL) >> 32 & mask_];
  }

  DeferredWork& host_;
  // For threads that wait until a strand is at rest.
  std::mutex waiting_mutex_;
  std::condition_variable rested_;
  std::atomic<unsigned> waiting_{0};

  // Guards everything below. May be taken under the run token, never the other way round.
  lnd::SpinLock lock_;
  std::vector<Strand*> buckets_;  // a power of two
  std::size_t mask_;              // their number, less 1
  std::size_t live_ = 0;
  std::uint64_t made_ = 0;
  Strand* free_strands_ = nullptr;
  Strand::Queued* free_events_ = nullptr;
  std::vector<std::unique_ptr<Strand[]>> strand_chunks_;
  std::vector<std::unique_ptr<Strand::Queued[]>> event_chunks_;
};

}  // namespace ulnet::node
