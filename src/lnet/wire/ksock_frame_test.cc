// Framing headers and checksums: spec/wire-socklnd.md 6.
#include "lnet/wire/ksock_frame.h"

#include "lnet/wire/bytes_of_fixture.h"
#include "lnet/wire/generators_fixture.h"

namespace ulnet::wire {
namespace {

// spec/wire-socklnd.md 6, 7; spec/vectors.md 9 to 12, 26
TEST(Frame, Noops) {
  const std::pair<int, Frame> cases[] = {
      {9, {FrameType::kNoop, 0, 0, 1}},           {10, {FrameType::kNoop, 0, 0, 7}},
      {11, {FrameType::kNoop, 0, 9, 7}},          {12, {FrameType::kNoop, 0, 7, 9}},
      {26, {FrameType::kNoop, 0x3d9e3319, 0, 7}},
  };
  for (const auto& [vector, frame] : cases) {
    EXPECT_EQ(decode_frame(vectors::bytes(vector)).value(), frame) << vector;
    EXPECT_EQ(bytes_of(frame), vectors::bytes(vector)) << vector;
  }
}

// spec/vectors.md 13, 15, 16, 17, 20; spec/wire-socklnd.md 6, 13.6
TEST(Frame, AMessageFollowsAnLnetFrame) {
  for (const int vector : {13, 15, 16, 17, 20}) {
    const Frame frame = decode_frame(vectors::bytes(vector)).value();
    EXPECT_EQ(frame, Frame{}) << vector;
  }
}

// spec/wire-socklnd.md 4.4, 6
TEST(Frame, FieldsTakeTheOrderOfThePeersHello) {
  const Frame frame{FrameType::kLnet, 0x01020304, 0x0102030405060708, 9};
  const auto flipped = bytes_of(frame, Order::kBig);
  EXPECT_EQ(flipped, vectors::from_hex("000000c10102030401020304050607080000000000000009"));
  EXPECT_EQ(decode_frame(flipped, Order::kBig).value(), frame);
  EXPECT_EQ(decode_frame(flipped, Order::kLittle).error(), DecodeError::kBadType);
}

// spec/wire-socklnd.md 6
TEST(Frame, OtherTypesAreRefused) {
  for (const char* type : {"bf", "c2", "00", "ff"}) {
    const auto bytes = vectors::from_hex(type + std::string(46, '0'));
    EXPECT_EQ(decode_frame(bytes).error(), DecodeError::kBadType);
  }
  EXPECT_EQ(decode_frame(vectors::from_hex("c1000001" + std::string(40, '0'))).error(),
            DecodeError::kBadType);
}

TEST(Frame, EveryTruncationIsRefused) {
  gen::every_truncation(vectors::bytes(10), [](ByteView prefix) {
    EXPECT_EQ(decode_frame(prefix).error(), DecodeError::kTruncated);
  });
}

// spec/wire-socklnd.md 6.1; spec/vectors.md 26
TEST(Frame, AVersionTwoChecksumCoversTheFrameItself) {
  EXPECT_EQ(noop_checksum(2, vectors::bytes(26)), 0x3d9e3319U);
  EXPECT_EQ(noop_checksum(2, vectors::bytes(10)), 0x3d9e3319U) << "no matter what the field holds";
}

// spec/wire-socklnd.md 6.1
TEST(Frame, LaterVersionsCoverThePayloadOnly) {
  EXPECT_EQ(noop_checksum(3, vectors::bytes(10)), 0xffffffffU);
  const auto put = vectors::bytes(13);
  const ByteView all(put);
  const ByteView payload = all.subspan(kFrameBytes + kHeaderBytesNid4);
  Crc32 crc = begin_checksum(3, all.first(kFrameBytes), all.subspan(kFrameBytes, kHeaderBytesNid4));
  EXPECT_EQ(crc.value(), 0xffffffffU) << "the checksum of an empty payload";
  crc.update(payload);
  EXPECT_EQ(crc.value(), crc32(payload));
  Crc32 whole =
      begin_checksum(2, all.first(kFrameBytes), all.subspan(kFrameBytes, kHeaderBytesNid4));
  whole.update(payload);
  EXPECT_EQ(whole.value(), crc32(all)) << "its checksum field is zero";
}

RC_GTEST_PROP(Frame, EveryFrameRoundTripsInBothOrders, ()) {
  const Frame made{*rc::gen::element(FrameType::kNoop, FrameType::kLnet),
                   *rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint64_t>(),
                   *rc::gen::arbitrary<std::uint64_t>()};
  for (const Order order : {Order::kLittle, Order::kBig})
    RC_ASSERT(decode_frame(bytes_of(made, order), order).value() == made);
}

}  // namespace
}  // namespace ulnet::wire
