// Ping info: spec/wire-lnet.md 4.2 to 4.7.
#include "lnet/wire/ping_info.h"

#include "lnet/wire/generators_fixture.h"
#include "lnet/wire/nids_fixture.h"

namespace ulnet::wire {
namespace {

constexpr std::uint32_t kUsualFeatures =
    kPingNiStatus | kPingRoutingDisabled | kPingMultiRail | kPingDiscovery;

PingInfo info_of_b() { return {kUsualFeatures, Pid::lustre(), 3, {{kB, NiStatus::kUp}}, {}}; }
PingInfo large_info_of_b() {
  return {kUsualFeatures | kPingLargeAddr | kPingPrimaryLarge,
          Pid::lustre(),
          4,
          {{kB, NiStatus::kUp}},
          {{kB6, NiStatus::kUp}}};
}
std::vector<std::byte> encoded(const PingInfo& info, Order order = Order::kLittle) {
  std::vector<std::byte> bytes(ping_info_bytes(info));
  encode_ping_info(info, bytes, order);
  return bytes;
}
std::vector<std::byte> payload_of(int vector) {
  const auto bytes = vectors::bytes(vector);
  return {bytes.begin() + kFrameBytes + kHeaderBytesNid4, bytes.end()};
}
PingRefusal refusal(ByteView bytes, std::uint32_t max_interfaces = limits::kMaxInterfaces) {
  const auto decoded = decode_ping_info(bytes, max_interfaces);
  EXPECT_FALSE(decoded);
  return decoded ? PingRefusal{} : decoded.error();
}
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t at, std::uint32_t word) {
  store_le(bytes.data() + at, word);
  return bytes;
}

// spec/wire-lnet.md 4.2; spec/vectors.md 17
TEST(PingInfo, TwoEntries) {
  EXPECT_EQ(decode_ping_info(payload_of(17)).value(), info_of_b());
  EXPECT_EQ(encoded(info_of_b()), payload_of(17));
  EXPECT_EQ(info_of_b().primary(), kB);
}

// spec/wire-lnet.md 4.4; spec/vectors.md 18
TEST(PingInfo, ABigEndianSenderMeansTheSame) {
  EXPECT_EQ(decode_ping_info(vectors::bytes(18)).value(), info_of_b());
  EXPECT_EQ(encoded(info_of_b(), Order::kBig), vectors::bytes(18));
}

// spec/wire-lnet.md 4.2, 4.5; spec/vectors.md 19
TEST(PingInfo, ALargeEntryIsThePrimary) {
  EXPECT_EQ(decode_ping_info(vectors::bytes(19)).value(), large_info_of_b());
  EXPECT_EQ(encoded(large_info_of_b()), vectors::bytes(19));
  EXPECT_EQ(large_info_of_b().primary(), kB6);
}

TEST(PingInfo, LargeEntriesSwapOnlyTheStatus) {  // spec/wire-lnet.md 1.3, 4.4
  const auto flipped = encoded(large_info_of_b(), Order::kBig);
  EXPECT_EQ(decode_ping_info(flipped).value(), large_info_of_b());
  EXPECT_EQ(std::vector<std::byte>(flipped.begin() + 48, flipped.end()),
            vectors::from_hex("15aac0de0c02000020010db8000000000000000000000020"));
}

TEST(PingInfo, ThePrimaryFollowsTheFeatures) {  // spec/wire-lnet.md 4.2.2, 4.5
  PingInfo info = large_info_of_b();
  info.features &= ~std::uint32_t{kPingPrimaryLarge};
  EXPECT_EQ(info.primary(), kB);
  info.legacy.clear();
  EXPECT_TRUE(info.primary().is_any()) << "only loopback in the legacy list";
  info.features |= kPingPrimaryLarge;
  EXPECT_EQ(info.primary(), kB6);
  info.large.clear();
  EXPECT_TRUE(info.primary().is_any());
}

// spec/wire-lnet.md 4.3
TEST(PingInfo, UnknownFeaturesAreKept) {
  PingInfo info = info_of_b();
  info.features |= 0x8000'0100;
  EXPECT_EQ(decode_ping_info(encoded(info)).value().features, info.features);
  EXPECT_TRUE(info.has(kPingMultiRail));
  EXPECT_FALSE(info.has(kPingBase));
}

// spec/core-semantics.md 14; spec/multirail.md 4.4.1; spec/wire-lnet.md 4.4
TEST(PingInfo, ChecksComeInOrder) {
  const auto good = payload_of(17);
  EXPECT_EQ(refusal(with(good, 0, 0x70696e68)).why, DecodeError::kBadMagic);
  EXPECT_EQ(refusal(with(with(good, 4, 0x1c), 12, 0)).why, DecodeError::kNoNiStatus);
  EXPECT_EQ(refusal(with(with(good, 12, 0), 16, 1)).why, DecodeError::kBadCount);
  EXPECT_EQ(refusal(with(with(good, 12, 4097), 16, 1)).why, DecodeError::kBadCount);
  EXPECT_EQ(refusal(with(good, 12, 0xffffffff)).why, DecodeError::kBadCount);
  EXPECT_EQ(refusal(with(with(good, 12, 3), 16, 1)).why, DecodeError::kNotLoopbackFirst);
  EXPECT_EQ(refusal(with(good, 20, 0x00020000)).why, DecodeError::kNotLoopbackFirst);
  EXPECT_EQ(refusal(with(good, 12, 3)), (PingRefusal{DecodeError::kTruncated, 64}));
}

// spec/wire-lnet.md 4.4, 4.7
TEST(PingInfo, ATruncatedInfoSaysHowLargeItIs) {
  for (const auto& bytes : {payload_of(17), vectors::bytes(18), vectors::bytes(19),
                            encoded(large_info_of_b(), Order::kBig)}) {
    gen::every_truncation(bytes, [&](ByteView prefix) {
      const std::size_t needed =
          prefix.size() < kPingInfoBytesMin ? kPingInfoBytesMin : bytes.size();
      EXPECT_EQ(refusal(prefix), (PingRefusal{DecodeError::kTruncated, needed}));
    });
  }
}

// spec/wire-lnet.md 4.4
TEST(PingInfo, GarbageIsNotTakenForATruncatedInfo) {
  EXPECT_EQ(refusal(vectors::from_hex("deadbeef")), (PingRefusal{DecodeError::kBadMagic, 0}));
}

// spec/wire-lnet.md 4.4
TEST(PingInfo, EntriesOfBothFormsAreBounded) {
  PingInfo info = info_of_b();
  info.legacy.assign(199, {kB, NiStatus::kUp});
  EXPECT_EQ(decode_ping_info(encoded(info), 200).value().legacy.size(), 199U);
  EXPECT_EQ(refusal(encoded(info), 199).why, DecodeError::kBadCount);
  info = large_info_of_b();
  info.large.assign(200, {kB6, NiStatus::kUp});
  EXPECT_EQ(decode_ping_info(encoded(info), 200).value().large.size(), 200U);
  EXPECT_EQ(refusal(encoded(info), 199).why, DecodeError::kBadCount);
  info.large.assign(200, {kB, NiStatus::kUp});
  EXPECT_EQ(refusal(encoded(info), 199).why, DecodeError::kBadCount)
      << "small NIDs need less space there";
  EXPECT_EQ(refusal(with(vectors::bytes(19), 28, 0xfffffffc)).why, DecodeError::kBadCount)
      << "nobody asks for 4 GiB";
}

// spec/wire-lnet.md 4.2
TEST(PingInfo, BytesBehindTheInfoAreIgnored) {
  auto bytes = payload_of(17);
  bytes.resize(272);
  EXPECT_EQ(decode_ping_info(bytes).value(), info_of_b());
  bytes = vectors::bytes(19);
  bytes.resize(272, std::byte{0x55});
  EXPECT_EQ(decode_ping_info(bytes).value(), large_info_of_b());
}

// spec/wire-lnet.md 4.6
TEST(PingInfo, MetadataIsSkippedAndNeverSent) {
  PingInfo expected = large_info_of_b();
  expected.features |= kPingMetadata;
  auto bytes = with(vectors::bytes(19), 4, expected.features);
  bytes.resize(bytes.size() + 4 + 40, std::byte{1});
  EXPECT_EQ(decode_ping_info(bytes).value(), expected);
  EXPECT_EQ(encoded(expected), vectors::bytes(19));
}

// spec/wire-lnet.md 4.5
TEST(PingInfo, LowBitsOfTheSizeAreMasked) {
  EXPECT_EQ(decode_ping_info(with(vectors::bytes(19), 28, 75)).value(), large_info_of_b());
  for (const std::uint32_t size : {0U, 16U, 48U}) {
    const auto info = decode_ping_info(with(vectors::bytes(19), 28, size));
    ASSERT_TRUE(info) << size;
    EXPECT_TRUE(info->large.empty());
    EXPECT_EQ(info->primary(), kB);
  }
}

// spec/wire-lnet.md 4.5
TEST(PingInfo, ALargeEntryThatRunsPastTheEndEndsTheList) {
  EXPECT_TRUE(decode_ping_info(with(vectors::bytes(19), 28, 68)).value().large.empty());
  auto bytes = vectors::bytes(19);
  bytes.resize(bytes.size() + 8);
  bytes = with(with(bytes, 28, 80), 76, 0x0000020cU);
  EXPECT_EQ(decode_ping_info(bytes).value(), large_info_of_b())
      << "8 bytes are not enough for the entry they begin";
}

// spec/wire-lnet.md 1.3, 4.5
TEST(PingInfo, ATooLongNidIsSkipped) {
  PingInfo info = large_info_of_b();
  auto bytes = encoded(info);
  const std::vector<std::byte> longer = vectors::from_hex(
      "dec0aa15"
      "10020000" +
      std::string(40, '7'));
  bytes.insert(bytes.begin() + 48, longer.begin(), longer.end());
  bytes = with(bytes, 28, static_cast<std::uint32_t>(bytes.size()));
  EXPECT_EQ(decode_ping_info(bytes).value(), info);
}

// spec/wire-lnet.md 4.5
TEST(PingInfo, LargeEntriesAreRoundedUpToFourBytes) {
  PingInfo info = info_of_b();
  info.features |= kPingLargeAddr;
  Nid odd = kB;
  odd.size = 5;
  info.large = {{odd, NiStatus::kDown}, {kB6, NiStatus::kUp}};
  EXPECT_EQ(ping_info_bytes(info), 48U + 20 + 24);
  EXPECT_EQ(decode_ping_info(encoded(info)).value(), info);
}

TEST(PingInfo, EntriesThatNameNoNidAreSkipped) {
  auto bytes = payload_of(17);
  std::fill(bytes.begin() + 32, bytes.begin() + 40, std::byte{0xff});
  EXPECT_TRUE(decode_ping_info(bytes).value().legacy.empty());
  bytes = payload_of(17);
  bytes[39] = std::byte{1};
  EXPECT_TRUE(decode_ping_info(bytes).value().legacy.empty());
}

// spec/wire-lnet.md 1.1
TEST(PingInfo, NidsOfUnknownTypesAreCarried) {
  PingInfo info = info_of_b();
  info.legacy.push_back({Nid::small({NetType{17}, 9}, 42), NiStatus::kDown});
  EXPECT_EQ(decode_ping_info(encoded(info)).value(), info);
}

// spec/wire-lnet.md 4.2
TEST(PingInfo, ANodeWithOneInterfaceAnswers48BytesAndStatusesHaveNames) {
  EXPECT_EQ(ping_info_bytes(info_of_b()), 48U);
  EXPECT_STREQ(to_string(NiStatus::kUp), "up");
  EXPECT_STREQ(to_string(NiStatus::kDown), "down");
  EXPECT_STREQ(to_string(NiStatus{5}), "invalid");
}

RC_GTEST_PROP(PingInfo, EveryInfoRoundTripsInBothOrders, ()) {
  const PingInfo made = gen::any_ping_info();
  for (const Order order : {Order::kLittle, Order::kBig})
    RC_ASSERT(decode_ping_info(encoded(made, order)).value() == made);
}

RC_GTEST_PROP(PingInfo, BytesThatDecodeAreAValueThatRoundTrips, ()) {
  auto bytes = encoded(gen::any_ping_info());
  for (int flips = *rc::gen::inRange(1, 8); flips > 0; --flips)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  const auto decoded = decode_ping_info(bytes, 64);
  if (!decoded) return;
  PingInfo expected = *decoded;
  expected.features &= ~std::uint32_t{kPingMetadata};
  RC_ASSERT(decode_ping_info(encoded(*decoded), 64).value() == expected);
}

}  // namespace
}  // namespace ulnet::wire
