// Histograms of the times of RPCs: docs/SELFTEST.md.
#include "lnet/wire/lst_latency.h"

#include <gtest/gtest.h>

#include <vector>

#include "lnet/wire/generators_fixture.h"

namespace ulnet::wire {
namespace {

using Bytes = std::vector<std::byte>;

Bytes encoded(const LstLatency& latency) {
  Bytes bytes(kLstLatencyBytes, std::byte{0x5a});
  encode_lst_latency(latency, std::span<std::byte, kLstLatencyBytes>(bytes));
  return bytes;
}
DecodeError why_not(ByteView bytes) {
  const auto decoded = decode_lst_latency(bytes);
  EXPECT_FALSE(decoded);
  return decoded ? DecodeError{} : decoded.error();
}
LstLatency some() {
  LstLatency latency{.failed = 0xfedcba98};
  latency.buckets[0] = 1;
  latency.buckets[17] = 0x0102030405;
  latency.buckets[303] = 7;
  return latency;
}

TEST(LstLatency, HasOneEncoding) {
  const Bytes bytes = encoded(some());
  ASSERT_EQ(bytes.size(), 2448U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), 8), "ULNETLA1");
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 8), 304U);
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 12), 0xfedcba98U);
  EXPECT_EQ(load_le<std::uint64_t>(bytes.data() + 16 + 17 * 8), 0x0102030405U);
  EXPECT_EQ(load_le<std::uint64_t>(bytes.data() + 2440), 7U);
  EXPECT_EQ(decode_lst_latency(bytes).value(), some());
}

TEST(LstLatency, EveryOtherLengthIsRefused) {
  gen::every_truncation(encoded(some()), [](ByteView prefix) {
    EXPECT_EQ(why_not(prefix), DecodeError::kTruncated);
  });
  Bytes longer = encoded(some());
  longer.resize(longer.size() + 1);
  EXPECT_EQ(why_not(longer), DecodeError::kBadCount);
}

TEST(LstLatency, MalformedInputIsRefused) {
  Bytes bytes = encoded(some());
  bytes[7] = std::byte{'2'};
  EXPECT_EQ(why_not(bytes), DecodeError::kBadMagic);
  bytes = encoded(some());
  store_le(bytes.data() + 8, 303U);
  EXPECT_EQ(why_not(bytes), DecodeError::kBadCount);
}

// The sum of a histogram and the sum over nodes must not overflow.
TEST(LstLatency, AbsurdRpcCountsAreRefused) {
  LstLatency latency;
  latency.buckets[3] = kLstMaxLatency - 1;
  latency.buckets[9] = 1;
  EXPECT_EQ(decode_lst_latency(encoded(latency)).value(), latency);
  latency.buckets[300] = 1;
  EXPECT_EQ(why_not(encoded(latency)), DecodeError::kBadCount);
  latency.buckets[300] = UINT64_MAX;
  EXPECT_EQ(why_not(encoded(latency)), DecodeError::kBadCount);
}

}  // namespace
}  // namespace ulnet::wire
