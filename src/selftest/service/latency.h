// How the RPCs of a test ended. The times that they took are a histogram of fixed size with eight
// buckets for each power of two, so that every time is right to within an eighth.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "lnet/base/time.h"
#include "lnet/wire/lst_latency.h"

namespace ulnet::svc::selftest {

class Latency {
 public:
  Latency() = default;
  /// Takes over the counts that another node reported.
  explicit Latency(const wire::LstLatency& reported) : reported_(reported) {
    for (const std::uint64_t bucket : reported_.buckets) count_ += bucket;
  }
  const wire::LstLatency& reported() const { return reported_; }
  /// Counts an RPC that ended well.
  void record(Duration took) { ++reported_.buckets[bucket_of(took)], ++count_; }
  /// Counts an RPC that ended with an error.
  void fail() { add_failed(1); }
  std::uint64_t count() const { return count_; }
  std::uint32_t failed() const { return reported_.failed; }
  /// Returns the time within which `share` per mille (0 to 1000) of the RPCs ended: the upper end
  /// of a bucket. 0: no RPC ended well.
  Duration within(std::uint32_t share) const {
    const std::uint64_t wanted = (count_ * share + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += reported_.buckets[i];
      if (seen != 0 && seen >= wanted) return upper_end(i);
    }
    return {};
  }
  void add(const Latency& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) reported_.buckets[i] += other.reported_.buckets[i];
    count_ += other.count_;
    add_failed(other.reported_.failed);
  }

 private:
  // Each number below 2^4 has a bucket of its own. Each power of two from there to 2^40 (18
  // minutes) has 8 buckets.
  static constexpr unsigned kFine = 3;
  static constexpr unsigned kTop = 40;
  static constexpr std::size_t kBuckets = (kTop - kFine + 1) << kFine;
  static_assert(kBuckets == wire::kLstLatencyBuckets);

  void add_failed(std::uint32_t more) {
    reported_.failed += std::min(more, UINT32_MAX - reported_.failed);
  }
  static std::size_t bucket_of(Duration took) {
    const auto ns = static_cast<std::uint64_t>(took.count() < 0 ? 0 : took.count());
    if (ns < 2U << kFine) return ns;
    const unsigned shift = static_cast<unsigned>(std::bit_width(ns)) - 1 - kFine;
    const std::size_t bucket = (std::size_t{shift} << kFine) + (ns >> shift);
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  static Duration upper_end(std::size_t bucket) {
    if (bucket < 2U << kFine) return Duration(static_cast<std::int64_t>(bucket));
    const std::size_t shift = (bucket >> kFine) - 1;
    const std::uint64_t lower = ((bucket & ((1U << kFine) - 1)) + (1U << kFine)) << shift;
    return Duration(static_cast<std::int64_t>(lower + (std::uint64_t{1} << shift) - 1));
  }

  wire::LstLatency reported_;
  std::uint64_t count_ = 0;
};

}  // namespace ulnet::svc::selftest
