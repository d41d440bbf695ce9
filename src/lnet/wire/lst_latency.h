// The results of the RPCs of a selftest client's test, as ulnet nodes report them to each other:
// their times, as a histogram with a fixed number of buckets, and the number of failed RPCs. Always
// little-endian. Source: docs/SELFTEST.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lnet/base/bytes.h"
#include "lnet/wire/decode_error.h"

namespace ulnet::wire {

inline constexpr std::size_t kLstLatencyBuckets = 304;
/// The size: magic, number of buckets, RPCs that failed, and a count of 8 bytes for each bucket.
inline constexpr std::size_t kLstLatencyBytes = 16 + 8 * kLstLatencyBuckets;
/// The most RPCs that one histogram may have: sums over all nodes of a session fit in 64 bits.
inline constexpr std::uint64_t kLstMaxLatency = 1ULL << 48;

struct LstLatency {
  /// Successful RPCs, by time. selftest/service/latency.h defines the times of each bucket.
  std::array<std::uint64_t, kLstLatencyBuckets> buckets{};
  std::uint32_t failed = 0;  ///< failed RPCs; UINT32_MAX: this many or more
  bool operator==(const LstLatency&) const = default;
};

void encode_lst_latency(const LstLatency& latency, std::span<std::byte, kLstLatencyBytes> out);
/// Reads a histogram. Errors: kTruncated: too few bytes. kBadMagic: another magic number.
/// kBadCount: too many bytes, another number of buckets, or more RPCs than kLstMaxLatency.
Decoded<LstLatency> decode_lst_latency(ByteView received);

}  // namespace ulnet::wire
