// How long the RPCs of a selftest's client took, as ulnet nodes tell each other: a histogram with a
// fixed number of buckets, always little-endian. Source: docs/SELFTEST.md, "What ulnet nodes tell
// each other".
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "wire/fault.h"

namespace ulnet::wire {

inline constexpr std::size_t kLstLatencyBuckets = 304;
/// Magic, number of buckets, zeros, and a count of 8 bytes for each bucket.
inline constexpr std::size_t kLstLatencyBytes = 16 + 8 * kLstLatencyBuckets;
/// RPCs that one histogram may have in all: sums over all nodes of a session stay within 64 bits.
inline constexpr std::uint64_t kLstLatencyMost = 1ULL << 48;

/// RPCs by the time that they took: which times a bucket is of says svc/selftest/latency.h.
using LstLatency = std::array<std::uint64_t, kLstLatencyBuckets>;

void encode_lst_latency(const LstLatency& counts, std::span<std::byte, kLstLatencyBytes> out);
/// kTruncated, kBadMagic, kBadCount (more bytes, another number of buckets, more RPCs than
/// kLstLatencyMost).
Decoded<LstLatency> decode_lst_latency(ByteView received);

}  // namespace ulnet::wire
