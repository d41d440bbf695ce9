// How the RPCs of a selftest client's test ended, in the form in which ulnet nodes tell each other:
// how long they took, as a histogram with a fixed number of buckets, and how many ended with an
// error; always little-endian. Source: docs/SELFTEST.md,
// "What ulnet nodes tell each other".
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
inline constexpr std::uint64_t kLstLatencyMost = 1ULL << 48;

struct LstLatency {
  /// RPCs that ended well, by time. selftest/service/latency.h says which times a bucket is for.
  std::array<std::uint64_t, kLstLatencyBuckets> buckets{};
  std::uint32_t failed = 0;  ///< RPCs that ended with an error; UINT32_MAX: or more
  bool operator==(const LstLatency&) const = default;
};

void encode_lst_latency(const LstLatency& latency, std::span<std::byte, kLstLatencyBytes> out);
/// Reads a histogram. kTruncated, kBadMagic; kBadCount: too many bytes, another number of
/// buckets, or more RPCs than kLstLatencyMost.
Decoded<LstLatency> decode_lst_latency(ByteView received);

}  // namespace ulnet::wire
