// Hellos: spec/wire-socklnd.md 4, 5.
#include "lnet/wire/ksock_hello.h"

#include "lnet/wire/bytes_of_fixture.h"
#include "lnet/wire/generators_fixture.h"
#include "lnet/wire/nids_fixture.h"

namespace ulnet::wire {
namespace {

constexpr std::uint64_t kIncarnationOfA = 0x17c0ffee12345678;
constexpr std::uint64_t kIncarnationOfB = 0x17c0ffeeaabbccdd;

Hello hello_of_a() {
  Hello hello;
  hello.src_nid = kA;
  hello.dst_nid = kB;
  hello.src_incarnation = kIncarnationOfA;
  return hello;
}
const HelloSelf kSelfB{kB, Pid::lustre(), kIncarnationOfB};

void expect_both_ways(int vector, const Hello& expected) {
  const auto decoded = decode_hello(vectors::bytes(vector));
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  EXPECT_EQ(decoded->hello, expected);
  EXPECT_EQ(decoded->order, Order::kLittle);
  EXPECT_EQ(bytes_of(expected), vectors::bytes(vector));
}
// The error for the hello of this vector with `value` as its byte at `at`.
DecodeError error_with(int vector, std::size_t at, std::uint8_t value) {
  auto bytes = vectors::bytes(vector);
  bytes[at] = std::byte{value};
  const auto decoded = decode_hello(bytes);
  EXPECT_FALSE(decoded);
  return decoded ? DecodeError::kTruncated : decoded.error();
}

// spec/vectors.md 4; spec/wire-socklnd.md 4.1, 13.2
TEST(Hello, VersionThree) { expect_both_ways(4, hello_of_a()); }

// spec/wire-socklnd.md 4.5, 5; spec/vectors.md 5
TEST(Hello, TheAnswerMirrorsTheTypeAndEchoesTheUnusedFields) {
  Hello offer = hello_of_a();
  offer.type = ConnType::kBulkIn;
  const Hello answer = answer_hello(offer, kSelfB);
  EXPECT_EQ(answer.type, ConnType::kBulkOut);
  expect_both_ways(5, answer);
  offer.dst_pid = Pid{77};
  offer.dst_incarnation = 88;
  offer.version = 2;
  EXPECT_EQ(answer_hello(offer, kSelfB).dst_pid, Pid{77});
  EXPECT_EQ(answer_hello(offer, kSelfB).dst_incarnation, 88U);
  EXPECT_EQ(answer_hello(offer, kSelfB).version, 2U);
}

// spec/wire-socklnd.md 4.5; spec/vectors.md 6
TEST(Hello, ARefusalIsACompleteHelloOfTypeNone) {
  const Hello refusal = refuse_hello(hello_of_a(), kSelfB, 3);
  EXPECT_TRUE(refusal.is_refusal());
  expect_both_ways(6, refusal);
  EXPECT_EQ(refuse_hello(hello_of_a(), kSelfB, 2).version, 2U) << "use that version";
}

// spec/wire-socklnd.md 4.5
TEST(Hello, AnUnknownVersionIsAnsweredWithOurOwn) {
  const Hello refusal = refuse_version(kSelfB, 3);
  EXPECT_EQ(refusal.version, 3U);
  EXPECT_EQ(refusal.dst_nid, kB) << "addressed to ourselves";
  EXPECT_TRUE(refusal.is_refusal());
  EXPECT_EQ(decode_hello(bytes_of(refusal)).value().hello, refusal);
}

// spec/wire-socklnd.md 4.1; spec/vectors.md 7
TEST(Hello, ABondedPeersAddressesAreReadToTheEnd) {
  Hello hello = hello_of_a();
  hello.addresses = {0xc0a8010a, 0xc0a8020a};
  expect_both_ways(7, hello);
}

// spec/wire-socklnd.md 4.2; spec/vectors.md 8
TEST(Hello, VersionFour) {
  Hello hello = hello_of_a();
  hello.version = 4;
  hello.src_nid = kA6;
  hello.dst_nid = kB6;
  expect_both_ways(8, hello);
}

TEST(Hello, VersionOne) {  // spec/vectors.md 25; spec/wire-lnet.md 2.4; spec/wire-socklnd.md 4.3
  Hello hello = hello_of_a();
  hello.version = 1;
  hello.dst_nid = Nid::any();
  expect_both_ways(25, hello);
  hello.addresses = {0x0a000001};
  EXPECT_EQ(bytes_of(hello).size(), kHelloBytesV1 + 4);
  EXPECT_EQ(decode_hello(bytes_of(hello)).value().hello, hello);
}

// spec/wire-socklnd.md 4.4
TEST(Hello, APeerOfTheOtherByteOrderIsReadAsItMeant) {
  for (const int vector : {4, 7, 8}) {
    const Hello hello = decode_hello(vectors::bytes(vector)).value().hello;
    const auto flipped = bytes_of(hello, Order::kBig);
    ASSERT_NE(flipped, vectors::bytes(vector));
    const auto decoded = decode_hello(flipped);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->order, Order::kBig);
    EXPECT_EQ(decoded->hello, hello) << "legacy NIDs swapped too, large ones never";
  }
  const auto v4 = bytes_of(decode_hello(vectors::bytes(8)).value().hello, Order::kBig);
  EXPECT_EQ(v4[8], std::byte{0x0c}) << "a large NID has no byte order";
}

// spec/wire-socklnd.md 4.3
TEST(Hello, VersionOneIsLittleEndianFromEveryone) {
  auto bytes = vectors::bytes(25);
  std::reverse(bytes.begin(), bytes.begin() + 4);
  EXPECT_EQ(decode_hello(bytes).error(), DecodeError::kBadMagic);
}

TEST(Hello, SaysHowMuchToReadNext) {
  for (const int vector : {4, 7, 8, 25}) {
    const auto bytes = vectors::bytes(vector);
    const std::size_t fixed = vector == 8    ? kHelloBytesV4
                              : vector == 25 ? kHelloBytesV1
                                             : kHelloBytesV3;
    gen::every_truncation(bytes, [&](ByteView prefix) {
      const auto needed = hello_bytes(prefix);
      ASSERT_TRUE(needed);
      EXPECT_GT(*needed, prefix.size());
      EXPECT_EQ(*needed, prefix.size() < 8 ? 8U : prefix.size() < fixed ? fixed : bytes.size());
      EXPECT_EQ(decode_hello(prefix).error(), DecodeError::kTruncated);
    });
    EXPECT_EQ(hello_bytes(bytes).value(), bytes.size());
    auto longer = bytes;
    longer.push_back(std::byte{0xc1});
    EXPECT_EQ(hello_bytes(longer).value(), bytes.size()) << "the first message follows";
    EXPECT_EQ(decode_hello(longer).value().hello, decode_hello(bytes).value().hello);
  }
}

// spec/wire-socklnd.md 4.5
TEST(Hello, DistinguishesAnUnknownMagicFromAnUnknownVersion) {
  EXPECT_EQ(hello_bytes(vectors::from_hex("00000000")).error(), DecodeError::kBadMagic);
  EXPECT_EQ(hello_bytes(vectors::from_hex("6369724605000000")).error(), DecodeError::kBadMagic);
  EXPECT_EQ(hello_bytes(vectors::from_hex("6369724505000000")).error(), DecodeError::kBadVersion);
  EXPECT_EQ(hello_bytes(vectors::from_hex("6369724501000000")).error(), DecodeError::kBadVersion);
  EXPECT_EQ(hello_bytes(vectors::from_hex("4572696303000000")).error(), DecodeError::kBadVersion)
      << "in the sender's order";
  EXPECT_EQ(hello_bytes(vectors::from_hex("ed0dbcee02000000")).error(), DecodeError::kBadVersion);
  EXPECT_EQ(hello_bytes(vectors::from_hex("ed0dbcee01000100")).error(), DecodeError::kBadVersion)
      << "a minor number";
}

// spec/wire-socklnd.md 4.1, 4.2
TEST(Hello, TheAddressListIsBounded) {
  EXPECT_EQ(error_with(4, 52, 17), DecodeError::kBadCount);
  EXPECT_EQ(error_with(4, 55, 0x80), DecodeError::kBadCount);
  EXPECT_EQ(error_with(25, 28, 3), DecodeError::kBadCount);
  EXPECT_EQ(error_with(25, 28, 4 * 17), DecodeError::kBadCount);
  auto bytes = vectors::bytes(8);
  bytes[76] = std::byte{200};
  EXPECT_EQ(hello_bytes(bytes).value(), kHelloBytesV4) << "version 4 has none, whatever it says";
}

// spec/wire-socklnd.md 4.1
TEST(Hello, AZeroAddressIsRefused) {
  auto bytes = vectors::bytes(7);
  std::fill(bytes.begin() + 60, bytes.end(), std::byte{0});
  EXPECT_EQ(decode_hello(bytes).error(), DecodeError::kBadAddress);
}

// spec/wire-socklnd.md 4.5
TEST(Hello, TypesBeyondTheKnownAreRefused) {
  EXPECT_EQ(error_with(4, 48, 4), DecodeError::kBadType);
  EXPECT_EQ(error_with(8, 75, 0xff), DecodeError::kBadType);
  EXPECT_EQ(error_with(25, 40, 9), DecodeError::kBadType);
  EXPECT_EQ(error_with(25, 24, 1), DecodeError::kBadType) << "a version 1 hello is an LNet HELLO";
}

// spec/wire-socklnd.md 4.5
TEST(Hello, TheSourceMustBeANidButTheDestinationIsNotChecked) {
  auto bytes = vectors::bytes(4);
  std::fill(bytes.begin() + 8, bytes.begin() + 16, std::byte{0xff});
  EXPECT_EQ(decode_hello(bytes).error(), DecodeError::kBadNid) << "the wildcard";
  EXPECT_EQ(error_with(4, 15, 1), DecodeError::kBadNid);
  EXPECT_EQ(error_with(8, 8, 13), DecodeError::kBadNid);
  bytes = vectors::bytes(4);
  bytes[23] = std::byte{1};
  EXPECT_TRUE(decode_hello(bytes).value().hello.dst_nid.is_any());
}

// spec/wire-socklnd.md 5
TEST(Hello, TypesMirror) {
  EXPECT_EQ(mirror(ConnType::kAny), ConnType::kAny);
  EXPECT_EQ(mirror(ConnType::kControl), ConnType::kControl);
  EXPECT_EQ(mirror(ConnType::kBulkIn), ConnType::kBulkOut);
  EXPECT_EQ(mirror(ConnType::kBulkOut), ConnType::kBulkIn);
  EXPECT_EQ(mirror(ConnType::kNone), ConnType::kNone);
  EXPECT_STREQ(to_string(ConnType::kBulkOut), "BULK_OUT");
  EXPECT_STREQ(to_string(ConnType{7}), "unknown");
}

// spec/wire-socklnd.md 4.4
TEST(Hello, TheVersionDecidesTheHeaderForm) {
  for (const std::uint32_t version : {1U, 2U, 3U})
    EXPECT_EQ(header_form(version), HeaderForm::kNid4);
  EXPECT_EQ(header_form(4), HeaderForm::kNid16);
}

TEST(HelloDeathTest, ALargeNidNeedsVersionFour) {  // spec/wire-socklnd.md 4.2
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Hello hello = hello_of_a();
  hello.src_nid = kA6;
  EXPECT_DEATH(bytes_of(hello), "fits_legacy");
}

RC_GTEST_PROP(Hello, EveryHelloRoundTripsInBothOrders, ()) {  // spec/wire-socklnd.md 4.1
  const Hello made = gen::any_hello();
  for (const Order order : {Order::kLittle, Order::kBig}) {
    const auto decoded = decode_hello(bytes_of(made, order));
    RC_ASSERT(decoded.value().hello == made);
    RC_ASSERT(decoded->order == (made.version == 1 ? Order::kLittle : order));
  }
}

}  // namespace
}  // namespace ulnet::wire
