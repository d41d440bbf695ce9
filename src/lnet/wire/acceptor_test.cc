// Connection requests: spec/wire-socklnd.md 3.
#include "lnet/wire/acceptor.h"

#include "lnet/wire/bytes_of_fixture.h"
#include "lnet/wire/generators_fixture.h"
#include "lnet/wire/nids_fixture.h"

namespace ulnet::wire {
namespace {

AcceptorRefusal refusal(const char* hex) {
  const auto decoded = decode_acceptor(vectors::from_hex(hex));
  EXPECT_FALSE(decoded);
  return decoded ? AcceptorRefusal{} : decoded.error();
}

TEST(Acceptor, VersionOneNamesALegacyNid) {  // spec/vectors.md 1; spec/wire-socklnd.md 3.1, 13.1
  EXPECT_EQ(bytes_of(AcceptorRequest::to(kB)), vectors::bytes(1));
  EXPECT_EQ(decode_acceptor(vectors::bytes(1)).value(), (AcceptorRequest{1, kB}));
}

// spec/wire-socklnd.md 3.2; spec/vectors.md 2
TEST(Acceptor, TheOtherByteOrderIsRead) {
  EXPECT_EQ(decode_acceptor(vectors::bytes(2)).value(), (AcceptorRequest{1, kB}));
  EXPECT_EQ(bytes_of(AcceptorRequest{1, kB}, Order::kBig), vectors::bytes(2));
  EXPECT_EQ(decode_acceptor(bytes_of(AcceptorRequest{2, kB6}, Order::kBig)).value(),
            (AcceptorRequest{2, kB6}));
}

// spec/wire-socklnd.md 3.2; spec/vectors.md 3
TEST(Acceptor, VersionTwoNamesALargeNid) {
  EXPECT_EQ(bytes_of(AcceptorRequest::to(kB6)), vectors::bytes(3));
  EXPECT_EQ(decode_acceptor(vectors::bytes(3)).value(), (AcceptorRequest{2, kB6}));
  EXPECT_EQ(decode_acceptor(bytes_of(AcceptorRequest{2, kB})).value(), (AcceptorRequest{2, kB}))
      << "or a small one";
}

// spec/wire-socklnd.md 3.2
TEST(Acceptor, SaysHowMuchToReadNext) {
  for (const int vector : {1, 2, 3}) {
    const auto bytes = vectors::bytes(vector);
    gen::every_truncation(bytes, [&](ByteView prefix) {
      const auto needed = acceptor_bytes(prefix);
      ASSERT_TRUE(needed);
      EXPECT_GT(*needed, prefix.size());
      EXPECT_EQ(*needed, prefix.size() < 4 ? 4U : prefix.size() < 8 ? 8U : bytes.size());
      EXPECT_EQ(decode_acceptor(prefix).error().why, DecodeError::kTruncated);
    });
    EXPECT_EQ(acceptor_bytes(bytes).value(), bytes.size());
  }
}

TEST(Acceptor, TheGenericMagicIsAnswered) {  // spec/wire-lnet.md 7; spec/wire-socklnd.md 3.3
  EXPECT_EQ(refusal("63697245"), (AcceptorRefusal{DecodeError::kBadMagic, true}));
  EXPECT_EQ(refusal("45726963"), (AcceptorRefusal{DecodeError::kBadMagic, true}));
}

// spec/wire-socklnd.md 3.3
TEST(Acceptor, AnUnknownVersionIsAnswered) {
  EXPECT_EQ(refusal("0071ceac03000000"), (AcceptorRefusal{DecodeError::kBadVersion, true}));
  EXPECT_EQ(refusal("0071ceac00000000"), (AcceptorRefusal{DecodeError::kBadVersion, true}));
  EXPECT_EQ(refusal("acce710001000000"), (AcceptorRefusal{DecodeError::kBadVersion, true}));
}

// spec/wire-socklnd.md 3.3
TEST(Acceptor, AHelloWithoutRequestAndGarbageAreNotAnswered) {
  EXPECT_EQ(refusal("ed0dbcee"), (AcceptorRefusal{DecodeError::kBadMagic, false}));
  EXPECT_EQ(refusal("474554202f"), (AcceptorRefusal{DecodeError::kBadMagic, false}));
}

TEST(Acceptor, AnImpossibleNidIsRefusedWithoutAnswer) {
  EXPECT_EQ(refusal("0071ceac010000001401a8c000000201"),
            (AcceptorRefusal{DecodeError::kBadNid, false}));
  EXPECT_EQ(refusal("0071ceac020000000d02000020010db8000000000000000000000020"),
            (AcceptorRefusal{DecodeError::kBadNid, false}));
}

// spec/wire-socklnd.md 3.3
TEST(Acceptor, TheAnswerIsVersionOneWithNidZero) {
  EXPECT_EQ(bytes_of(acceptor_answer()), vectors::from_hex("0071ceac010000000000000000000000"));
}

TEST(AcceptorDeathTest, ALargeNidDoesNotFitVersionOne) {  // spec/wire-socklnd.md 3.2
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(bytes_of(AcceptorRequest{1, kB6}), "fits_legacy");
}

RC_GTEST_PROP(Acceptor, EveryRequestRoundTripsInBothOrders, ()) {
  const auto version = *rc::gen::inRange<std::uint32_t>(1, 3);
  const AcceptorRequest made{version, *(version == 1 ? gen::small_nid() : gen::nid())};
  for (const Order order : {Order::kLittle, Order::kBig})
    RC_ASSERT(decode_acceptor(bytes_of(made, order)).value() == made);
}

}  // namespace
}  // namespace ulnet::wire
