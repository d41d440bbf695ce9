#include "lnet/wire/lnet_header.h"

#include "lnet/wire/generators_fixture.h"
#include "lnet/wire/nid.h"
#include "lnet/wire/nids_fixture.h"

namespace ulnet::wire {
namespace {

constexpr HeaderForm kForms[] = {HeaderForm::kNid4, HeaderForm::kNid16};
constexpr std::uint64_t kCookieOfA = 0x18a1b2c3d4e5f607;

std::vector<std::byte> encoded(const LnetHeader& header, HeaderForm form) {
  std::vector<std::byte> bytes(header_bytes(form));
  encode_header(header, form, bytes);
  return bytes;
}
// The LNet header in a vector that begins with a framing header.
std::vector<std::byte> header_of(int vector, HeaderForm form) {
  const auto bytes = vectors::bytes(vector);
  return {bytes.begin() + kFrameBytes,
          bytes.begin() + static_cast<std::ptrdiff_t>(kFrameBytes + header_bytes(form))};
}
LnetHeader header(const Nid& dest, const Nid& src, std::uint32_t length,
                  decltype(LnetHeader::part) part) {
  return {dest, src, Pid::lustre(), Pid::lustre(), length, part};
}
void expect_both_ways(const std::vector<std::byte>& bytes, HeaderForm form,
                      const LnetHeader& expected) {
  const auto decoded = decode_header(bytes, form);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  EXPECT_EQ(*decoded, expected);
  EXPECT_EQ(encoded(expected, form), bytes);
}

// spec/core-semantics.md 17; spec/vectors.md 13; spec/wire-lnet.md 2.1, 2.4, 2.5
TEST(LnetHeader, PutWithAck) {
  const PutPart put{{kCookieOfA, 0x15}, 0x0123456789abcdef, 0x1122334455667788, 28, 4096};
  expect_both_ways(header_of(13, HeaderForm::kNid4), HeaderForm::kNid4, header(kB, kA, 5, put));
}

// spec/wire-lnet.md 2.4, 2.5; spec/vectors.md 14
TEST(LnetHeader, PutWithoutAckCarriesTheNoneHandle) {
  const PutPart put{WireHandle::none(), 11, 0, 50, 0};
  const auto bytes = encoded(header(kB, kA, 0, put), HeaderForm::kNid4);
  EXPECT_EQ(std::vector<std::byte>(bytes.begin() + 32, bytes.end()), vectors::bytes(14));
  EXPECT_TRUE(std::get<PutPart>(decode_header(bytes, HeaderForm::kNid4)->part).ack_wmd.is_none());
}

TEST(LnetHeader, Ack) {  // spec/core-semantics.md 17; spec/vectors.md 15; spec/wire-lnet.md 2.4
  const AckPart ack{{kCookieOfA, 0x15}, 0x0123456789abcdef, 5};
  expect_both_ways(header_of(15, HeaderForm::kNid4), HeaderForm::kNid4, header(kA, kB, 0, ack));
}

// spec/core-semantics.md 17; spec/vectors.md 16; spec/wire-lnet.md 2.4, 4.1
TEST(LnetHeader, PingGet) {
  const GetPart get{{kCookieOfA, 0x19}, kPingMatchBits, 0, 0, 272};
  expect_both_ways(header_of(16, HeaderForm::kNid4), HeaderForm::kNid4, header(kB, kA, 0, get));
}

TEST(LnetHeader, Reply) {  // spec/core-semantics.md 17; spec/vectors.md 17; spec/wire-lnet.md 2.4
  const ReplyPart reply{{kCookieOfA, 0x19}};
  expect_both_ways(header_of(17, HeaderForm::kNid4), HeaderForm::kNid4, header(kA, kB, 48, reply));
}

// spec/wire-lnet.md 2.2; spec/vectors.md 20
TEST(LnetHeader, PingGetWithLargeNids) {
  const GetPart get{{kCookieOfA, 0x19}, kPingMatchBits, 0, 0, 272};
  expect_both_ways(header_of(20, HeaderForm::kNid16), HeaderForm::kNid16, header(kB6, kA6, 0, get));
}

// spec/wire-lnet.md 2.2
TEST(LnetHeader, ASmallNidTravelsInTheExtendedFormToo) {
  const LnetHeader small = header(kB, kA, 0, ReplyPart{});
  expect_both_ways(encoded(small, HeaderForm::kNid16), HeaderForm::kNid16, small);
}

TEST(LnetHeader, EveryTruncationIsRefused) {  // spec/wire-lnet.md 2.1
  for (const HeaderForm form : kForms) {
    const auto bytes = encoded(header(kB, kA, 0, AckPart{}), form);
    gen::every_truncation(bytes, [form](ByteView prefix) {
      EXPECT_EQ(decode_header(prefix, form).error(), DecodeError::kTruncated);
    });
  }
}

TEST(LnetHeader, OtherTypesAreRefused) {  // spec/core-semantics.md 8.2; spec/wire-lnet.md 2.3, 2.4
  for (const HeaderForm form : kForms) {
    auto bytes = encoded(header(kB, kA, 0, AckPart{}), form);
    const std::size_t at = form == HeaderForm::kNid4 ? 24 : 48;
    for (const std::uint32_t type : {4U, 5U, 0xc1U, 0xffffffffU, 0x01000000U}) {
      store_le(bytes.data() + at, type);
      EXPECT_EQ(decode_header(bytes, form).error(), DecodeError::kBadType) << type;
      store_le(bytes.data() + at + 4, 7U);
      EXPECT_EQ(decode_header(bytes, form).error(), DecodeError::kBadType) << "with payload";
      store_le(bytes.data() + at + 4, 0U);
    }
  }
}

// spec/core-semantics.md 1; spec/wire-lnet.md 2.3, 2.6
TEST(LnetHeader, PayloadIsBoundedByTheType) {
  for (const HeaderForm form : kForms) {
    const auto refused = [form](std::uint32_t length, decltype(LnetHeader::part) part) {
      const auto decoded = decode_header(encoded(header(kB, kA, length, part), form), form);
      return decoded ? std::nullopt : std::optional(decoded.error());
    };
    EXPECT_EQ(refused(1, AckPart{}), DecodeError::kPayloadNotAllowed);
    EXPECT_EQ(refused(1, GetPart{}), DecodeError::kPayloadNotAllowed);
    EXPECT_EQ(refused(limits::kMtu, PutPart{}), std::nullopt);
    EXPECT_EQ(refused(limits::kMtu, ReplyPart{}), std::nullopt);
    EXPECT_EQ(refused(limits::kMtu + 1, PutPart{}), DecodeError::kPayloadTooLong);
    EXPECT_EQ(refused(0xffffffff, ReplyPart{}), DecodeError::kPayloadTooLong);
  }
}

// spec/wire-lnet.md 1.2, 1.3
TEST(LnetHeader, AnImpossibleNidIsRefused) {
  for (const std::size_t at : {std::size_t{7}, std::size_t{15}}) {
    auto bytes = encoded(header(kB, kA, 0, AckPart{}), HeaderForm::kNid4);
    bytes[at] = std::byte{1};
    EXPECT_EQ(decode_header(bytes, HeaderForm::kNid4).error(), DecodeError::kBadNid);
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}}) {
    auto bytes = encoded(header(kB, kA, 0, AckPart{}), HeaderForm::kNid16);
    bytes[at] = std::byte{13};
    EXPECT_EQ(decode_header(bytes, HeaderForm::kNid16).error(), DecodeError::kBadNid);
  }
}

// spec/wire-lnet.md 1.3
TEST(LnetHeaderDeathTest, ALargeNidHasNoLegacyForm) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<std::byte> bytes(kHeaderBytesNid4);
  EXPECT_DEATH(encode_header(header(kB6, kA, 0, AckPart{}), HeaderForm::kNid4, bytes),
               "fits_legacy");
}

RC_GTEST_PROP(LnetHeader, EveryHeaderRoundTrips, ()) {  // spec/wire-lnet.md 2.2
  for (const HeaderForm form : kForms) {
    const LnetHeader made = gen::any_header(form);
    RC_ASSERT(decode_header(encoded(made, form), form).value() == made);
  }
}

RC_GTEST_PROP(LnetHeader, BytesThatDecodeAreAValueThatRoundTrips, ()) {
  const HeaderForm form = *rc::gen::element(HeaderForm::kNid4, HeaderForm::kNid16);
  auto bytes = encoded(gen::any_header(form), form);
  for (int flips = *rc::gen::inRange(1, 8); flips > 0; --flips)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  if (const auto decoded = decode_header(bytes, form))
    RC_ASSERT(decode_header(encoded(*decoded, form), form).value() == *decoded);
}

TEST(LnetHeader, TypesAndErrorsHaveNames) {
  EXPECT_STREQ(to_string(MsgType::kPut), "PUT");
  EXPECT_STREQ(to_string(MsgType{9}), "unknown");
  for (int error = 0; error <= static_cast<int>(DecodeError::kBadCookie); ++error)
    EXPECT_STRNE(to_string(static_cast<DecodeError>(error)), "unknown error") << error;
}

}  // namespace
}  // namespace ulnet::wire
