// Zero-copy cookies: spec/wire-socklnd.md 7.
#include "lnet/wire/ksock_ack.h"

#include <set>

#include "lnet/wire/generators_fixture.h"

namespace ulnet::wire {
namespace {

using Kind = AckSet::Kind;

Frame noop(std::uint64_t cookie0, std::uint64_t cookie1) {
  return {FrameType::kNoop, 0, cookie0, cookie1};
}
Frame lnet(std::uint64_t cookie0, std::uint64_t cookie1) {
  return {FrameType::kLnet, 0, cookie0, cookie1};
}
std::vector<std::uint64_t> cookies(const AckSet& acks) {
  std::vector<std::uint64_t> all;
  acks.for_each([&](std::uint64_t cookie) { all.push_back(cookie); });
  EXPECT_EQ(all.size(), acks.count());
  for (const auto cookie : all) EXPECT_TRUE(acks.contains(cookie));
  return all;
}
using Cookies = std::vector<std::uint64_t>;

// spec/wire-socklnd.md 7; spec/vectors.md 9 to 12
TEST(AckSet, ANoopsCookies) {
  const auto of = [](int vector) {
    return acks_of(decode_frame(vectors::bytes(vector)).value(), 3).value();
  };
  EXPECT_EQ(of(9).kind, Kind::kKeepalive);
  EXPECT_EQ(cookies(of(9)), Cookies{});
  EXPECT_EQ(cookies(of(10)), (Cookies{7}));
  EXPECT_EQ(cookies(of(11)), (Cookies{7, 9}));
  EXPECT_EQ(cookies(of(12)), (Cookies{7, 8, 9}));
}

// spec/wire-socklnd.md 7
TEST(AckSet, WithoutCookieOneThereIsNoAck) {
  EXPECT_EQ(acks_of(noop(0, 0), 3).value(), AckSet{});
  EXPECT_EQ(acks_of(noop(5, 0), 3).value(), AckSet{});
  EXPECT_EQ(acks_of(lnet(5, 0), 3).value(), AckSet{});
}

TEST(AckSet, KeepalivesAndTheirLookalikes) {  // spec/wire-socklnd.md 7, 7.2, 13.8
  EXPECT_EQ(acks_of(noop(1, 1), 3).value().kind, Kind::kKeepalive);
  EXPECT_EQ(acks_of(noop(2, 1), 3).error(), DecodeError::kBadCookie);
  EXPECT_EQ(acks_of(noop(~0ULL, 1), 4).error(), DecodeError::kBadCookie);
  EXPECT_EQ(acks_of(lnet(9, 1), 3).value(), AckSet{}) << "ignored in an LNET message";
  EXPECT_EQ(cookies(acks_of(noop(0, 1), 2).value()), (Cookies{1}))
      << "on version 2 an ack, and never outstanding";
}

// spec/wire-socklnd.md 7
TEST(AckSet, TheSameCookieTwiceIsOne) {
  EXPECT_EQ(cookies(acks_of(noop(5, 5), 3).value()), (Cookies{5}));
}

// spec/wire-socklnd.md 7
TEST(AckSet, AMessageAcknowledgesCookieOneOnly) {
  EXPECT_EQ(cookies(acks_of(lnet(9, 7), 3).value()), (Cookies{7}));
  EXPECT_EQ(cookies(acks_of(lnet(3, 7), 3).value()), (Cookies{7}));
  EXPECT_EQ(zero_copy_request(lnet(9, 7)), 9U);
  EXPECT_EQ(zero_copy_request(noop(9, 7)), kNoCookie);
}

TEST(AckSet, AnAbsurdRangeIsKnownByItsCount) {  // spec/wire-socklnd.md 7
  const AckSet wide = acks_of(noop(2, ~0ULL), 3).value();
  EXPECT_EQ(wide.count(), ~0ULL - 1);
  EXPECT_TRUE(wide.contains(1ULL << 63));
  EXPECT_FALSE(wide.contains(1));
  EXPECT_EQ(cookies(acks_of(noop(~0ULL - 1, ~0ULL), 3).value()), (Cookies{~0ULL - 1, ~0ULL}));
}

// spec/wire-socklnd.md 7
TEST(Cookie, CountsFromTwoAndWrapsToTwo) {
  EXPECT_EQ(next_cookie(kFirstCookie), 3U);
  EXPECT_EQ(next_cookie(~0ULL), kFirstCookie);
}

// spec/wire-socklnd.md 7.1
TEST(NoopAcks, TwoCookiesShareANoopTheLargerFirst) {
  NoopAcks acks = NoopAcks::one(7);
  EXPECT_EQ(acks.frame(), noop(0, 7));
  EXPECT_TRUE(acks.merge(9));
  EXPECT_EQ(acks.frame(), noop(9, 7));
  NoopAcks other = NoopAcks::one(9);
  EXPECT_TRUE(other.merge(7));
  EXPECT_EQ(other, acks);
}

// spec/wire-socklnd.md 7.1
TEST(NoopAcks, ThreeInARowBecomeARange) {
  for (const auto& [a, b, c] :
       {std::array{7, 9, 8}, {9, 8, 7}, {7, 8, 9}, {8, 7, 9}, {8, 9, 7}, {9, 7, 8}}) {
    NoopAcks acks = NoopAcks::one(static_cast<std::uint64_t>(a));
    EXPECT_TRUE(acks.merge(static_cast<std::uint64_t>(b)));
    EXPECT_TRUE(acks.merge(static_cast<std::uint64_t>(c)));
    EXPECT_EQ(acks.frame(), noop(7, 9));
  }
}

// spec/wire-socklnd.md 7.1
TEST(NoopAcks, ARangeGrowsByItsNeighbours) {
  NoopAcks acks = NoopAcks::one(7);
  for (const std::uint64_t cookie : {8, 9, 10, 6}) EXPECT_TRUE(acks.merge(cookie));
  EXPECT_EQ(acks.frame(), noop(6, 10));
  for (const std::uint64_t cookie : {4, 12, 8, 6, 10}) EXPECT_FALSE(acks.merge(cookie)) << cookie;
  EXPECT_EQ(acks.frame(), noop(6, 10)) << "unchanged";
}

// spec/wire-socklnd.md 7.1
TEST(NoopAcks, AnythingElseNeedsAnotherNoop) {
  NoopAcks acks = NoopAcks::one(7);
  EXPECT_FALSE(acks.merge(7)) << "twice the same";
  EXPECT_TRUE(acks.merge(20));
  for (const std::uint64_t cookie : {7, 20, 8, 19, 21, 6})
    EXPECT_FALSE(acks.merge(cookie)) << cookie;
  EXPECT_EQ(acks.frame(), noop(20, 7));
  EXPECT_FALSE(acks.merge(0));
  EXPECT_FALSE(acks.merge(1)) << "cookie 1 would read as a keepalive";
}

// spec/wire-socklnd.md 7.1, 7.2
TEST(NoopAcks, ARealAckReplacesAWaitingKeepalive) {
  NoopAcks acks = NoopAcks::keepalive();
  EXPECT_TRUE(acks.is_keepalive());
  EXPECT_EQ(acks.frame(), noop(0, 1));
  EXPECT_TRUE(acks.merge(7));
  EXPECT_FALSE(acks.is_keepalive());
  EXPECT_EQ(acks.frame(), noop(0, 7));
}

// The receiver of a NOOP reads exactly the cookies that were merged, whatever the order of merging.
RC_GTEST_PROP(NoopAcks, TheReceiverReadsExactlyWhatWasMerged, ()) {  // spec/wire-socklnd.md 7.1
  const auto near = rc::gen::inRange<std::uint64_t>(2, 14);
  const auto first = *near;
  NoopAcks acks = NoopAcks::one(first);
  std::set<std::uint64_t> merged{first};
  for (int step = *rc::gen::inRange(0, 20); step > 0; --step) {
    const auto cookie = *near;
    const NoopAcks before = acks;
    if (acks.merge(cookie)) {
      RC_ASSERT(merged.insert(cookie).second);
    } else {
      RC_ASSERT(acks == before);
    }
  }
  const auto read = cookies(acks_of(acks.frame(), 3).value());
  RC_ASSERT(std::set<std::uint64_t>(read.begin(), read.end()) == merged);
}

}  // namespace
}  // namespace ulnet::wire
