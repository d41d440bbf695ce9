#include "lnet/wire/nid.h"

#include "lnet/wire/generators_fixture.h"

namespace ulnet::wire {
namespace {

using vectors::from_hex;

struct Conversion {
  const char* text;
  std::uint64_t nid4;  // 0: has no legacy form
  const char* raw;
};

// spec/vectors.md 28
constexpr Conversion kConversions[] = {
    {"192.168.1.10@tcp", 0x00020000c0a8010a, "00020000c0a8010a000000000000000000000000"},
    {"10.1.2.3@tcp5", 0x000200050a010203, "000200050a010203000000000000000000000000"},
    {"0@lo", 0x0009000000000000, "0009000000000000000000000000000000000000"},
    {"10.0.0.1@o2ib1", 0x000500010a000001, "000500010a000001000000000000000000000000"},
    {"7@kfi", 0x0010000000000007, "0010000000000007000000000000000000000000"},
    {"2001:db8::10@tcp", 0, "0c02000020010db8000000000000000000000010"},
    {"<?>", ~0ULL, "ffffffffffffffffffffffffffffffffffffffff"},
};

std::vector<std::byte> raw_of(const Nid& nid) {
  std::vector<std::byte> bytes(kNid16Bytes);
  Writer out(bytes);
  write_nid16(out, nid);
  return bytes;
}

// spec/wire-lnet.md 1.2, 1.3, 1.5
TEST(NidWire, ConvertsBetweenTextLegacyAndLargeForm) {
  for (const Conversion& each : kConversions) {
    SCOPED_TRACE(each.text);
    const auto bytes = from_hex(each.raw);
    Reader in(bytes);
    const Decoded<Nid> nid = read_nid16(in);
    ASSERT_TRUE(nid);
    EXPECT_EQ(nid->to_string(), each.text);
    EXPECT_EQ(Nid::parse(each.text).value(), *nid);
    EXPECT_EQ(raw_of(*nid), bytes);
    EXPECT_EQ(fits_legacy(*nid), each.nid4 != 0);
    if (each.nid4 == 0) continue;
    EXPECT_EQ(nid->to_nid4(), each.nid4);
    EXPECT_EQ(nid_from_legacy(each.nid4), *nid);
  }
}

// spec/wire-socklnd.md 9: two NIDs have the order of their bytes
TEST(NidWire, NidsAreComparedAsBytes) {
  for (std::size_t first = 0; first < kNid16Bytes; ++first) {
    SCOPED_TRACE(first);
    std::array<std::uint8_t, kNid16Bytes> low;
    low.fill(0x7f);
    std::array<std::uint8_t, kNid16Bytes> high = low;
    high[first] = 0x80;
    std::fill(high.begin() + first + 1, high.end(), std::uint8_t{0});
    const Nid less = std::bit_cast<Nid>(low);
    const Nid more = std::bit_cast<Nid>(high);
    EXPECT_LT(less, more);
    EXPECT_GT(more, less);
    EXPECT_NE(less, more);
    EXPECT_EQ(less, less);
  }
}

// spec/wire-lnet.md 1.2
TEST(NidWire, ALegacyFieldTakesTheByteOrderOfItsStructure) {
  const Nid nid = Nid::parse("192.168.1.10@tcp").value();
  std::vector<std::byte> bytes(kNid4Bytes);
  Writer little(bytes, Order::kLittle);
  write_nid4(little, nid);
  EXPECT_EQ(bytes, from_hex("0a01a8c000000200"));
  Writer big(bytes, Order::kBig);
  write_nid4(big, nid);
  EXPECT_EQ(bytes, from_hex("00020000c0a8010a"));
  Reader in(bytes, Order::kBig);
  EXPECT_EQ(read_nid4(in).value(), nid);
}

// spec/wire-lnet.md 1.2
TEST(NidWire, BitsThatNoLegacyNidHasAreRefused) {
  EXPECT_FALSE(nid_from_legacy(0x0102'0000'0000'0001));
  EXPECT_FALSE(nid_from_legacy(0xff02'0000'0000'0001));
  const auto bytes = from_hex("0100000000000201");
  Reader in(bytes);
  EXPECT_EQ(read_nid4(in).error(), DecodeError::kBadNid);
}

// spec/wire-lnet.md 1.4
TEST(NidWire, Type255IsTheWildcardInOneForm) {
  EXPECT_EQ(nid_from_legacy(0x00ff'0000'0000'0001), Nid::any());
  const auto bytes = from_hex("04ff000102030405060708090a0b0c0d0e0f1011");
  Reader in(bytes);
  EXPECT_EQ(read_nid16(in).value(), Nid::any());
}

// spec/wire-lnet.md 1.3
TEST(NidWire, ASizeThatCannotFitIsRefused) {
  for (const char* hex :
       {"0d02000020010db8000000000000000000000010", "fe02000020010db8000000000000000000000010"}) {
    const auto bytes = from_hex(hex);
    Reader in(bytes);
    EXPECT_EQ(read_nid16(in).error(), DecodeError::kBadNid);
  }
}

TEST(NidWire, BytesPastTheAddressAreIgnored) {  // spec/core-semantics.md 1.2; spec/wire-lnet.md 1.3
  const auto bytes = from_hex("00020000c0a8010a0102030405060708090a0b0c");
  Reader in(bytes);
  EXPECT_EQ(read_nid16(in).value(), Nid::parse("192.168.1.10@tcp").value());
}

TEST(NidWire, EveryTruncationIsRefused) {
  gen::every_truncation(from_hex(kConversions[5].raw), [](ByteView bytes) {
    Reader in(bytes);
    EXPECT_EQ(read_nid16(in).error(), DecodeError::kTruncated);
  });
  gen::every_truncation(from_hex("0a01a8c000000200"), [](ByteView bytes) {
    Reader in(bytes);
    EXPECT_EQ(read_nid4(in).error(), DecodeError::kTruncated);
  });
}

// spec/vectors.md 29: the order of NIDs that decides a connection race (spec/wire-socklnd.md 9).
TEST(NidWire, OrderIsThatOfTheBytes) {  // spec/core-semantics.md 1.2; spec/wire-lnet.md 1.3
  const Nid a = Nid::parse("192.168.1.10@tcp").value();
  const Nid b = Nid::parse("192.168.1.20@tcp").value();
  const Nid c = Nid::parse("10.0.0.200@tcp").value();
  EXPECT_LT(a, b);
  EXPECT_LT(c, a);
  EXPECT_LT(b, Nid::parse("2001:db8::1@tcp").value()) << "the size byte comes first";
}

// spec/wire-lnet.md 1.3
RC_GTEST_PROP(NidWire, OrderOfSmallNidsIsThatOfTheirLegacyValues, ()) {
  const Nid a = *gen::small_nid();
  const Nid b = *gen::small_nid();
  RC_ASSERT((a < b) == (a.to_nid4() < b.to_nid4()));
  RC_ASSERT((a == b) == (a.to_nid4() == b.to_nid4()));
}

RC_GTEST_PROP(NidWire, RoundTripsInBothForms, ()) {  // spec/wire-lnet.md 1.2
  const Nid nid = *gen::nid();
  const auto raw = raw_of(nid);
  Reader in(raw);
  RC_ASSERT(read_nid16(in).value() == nid);
  if (fits_legacy(nid)) RC_ASSERT(nid_from_legacy(nid.to_nid4()).value() == nid);
}

}  // namespace
}  // namespace ulnet::wire
