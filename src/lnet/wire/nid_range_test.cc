// NID patterns and lists: spec/cli-lnetctl.md 8; refusals: spec/upstream-tests.md A.
#include "lnet/wire/nid_range.h"

#include <gmock/gmock.h>

#include "lnet/wire/generators_fixture.h"

namespace ulnet::wire {
namespace {

using testing::ElementsAre;

constexpr std::size_t kPeerLimit = 128;

std::vector<std::string> expanded(std::string_view text) {
  std::vector<std::string> texts;
  const auto nids = expand_nids(text, kPeerLimit);
  if (!nids) return {nids.error().reason};
  for (const Nid& nid : *nids) texts.push_back(nid.to_string());
  return texts;
}
bool matches(const char* pattern, const char* nid) {
  return NidPattern::parse(pattern).value().matches(Nid::parse(nid).value());
}

TEST(NidRange, LeftOctetChangesSlowest) {  // spec/cli-lnetctl.md 8
  EXPECT_THAT(expanded("10.1.[1-2].[4,8]@tcp"),
              ElementsAre("10.1.1.4@tcp", "10.1.1.8@tcp", "10.1.2.4@tcp", "10.1.2.8@tcp"));
  EXPECT_THAT(
      expanded("[13-14/1].[13-15/2].13.13@o2ib"),
      ElementsAre("13.13.13.13@o2ib", "13.15.13.13@o2ib", "14.13.13.13@o2ib", "14.15.13.13@o2ib"));
}

TEST(NidRange, NetsAreRangesToo) {  // spec/cli-lnetctl.md 8
  EXPECT_THAT(expanded("1.1.1.[1-2]@tcp[0-1]"),
              ElementsAre("1.1.1.1@tcp", "1.1.1.2@tcp", "1.1.1.1@tcp1", "1.1.1.2@tcp1"));
}

// spec/upstream-tests.md A, cases 4 to 6, 19 to 21
TEST(NidRange, ManyRangesOfManyNetsInOneList) {
  EXPECT_THAT(expanded("4.4.4.[1-4/2]@tcp,5.5.5.[0-6/3]@o2ib [22-23]@gni, 7@kfi\t[1,3]@bxi3f1"),
              ElementsAre("4.4.4.1@tcp", "4.4.4.3@tcp", "5.5.5.0@o2ib", "5.5.5.3@o2ib",
                          "5.5.5.6@o2ib", "22@gni", "23@gni", "7@kfi", "1@bxi3f1", "3@bxi3f1"));
  EXPECT_THAT(expanded("0x10@gni,2001:db8::1@tcp"), ElementsAre("16@gni", "2001:db8::1@tcp"));
}

// spec/upstream-tests.md A, case 4
TEST(NidRange, ADuplicateNidComesOnce) {
  EXPECT_THAT(expanded("4.4.4.[1-3]@tcp 4.4.4.[2-4]@tcp0"),
              ElementsAre("4.4.4.1@tcp", "4.4.4.2@tcp", "4.4.4.3@tcp", "4.4.4.4@tcp"));
}

// spec/wire-lnet.md 1.5
TEST(NidRange, WithoutANetItIsTcp) { EXPECT_THAT(expanded("1.1.1.1"), ElementsAre("1.1.1.1@tcp")); }

TEST(NidRange, TextsWithoutAPeerAreRefused) {  // spec/cli-lnetctl.md 8; spec/upstream-tests.md 99a
  for (const char* text : {"",
                           " ",
                           "foobar",
                           "1.1.1.1@foo",
                           "1.1.1@tcp",
                           "1.1.1.1.1@tcp",
                           "1.1.1.1.@tcp",
                           "@tcp",
                           "1.1.1.1@",
                           "1.1.1.1@tcp1x",
                           "256.1.1.1@tcp",
                           "1.1.1.[1-256]@tcp",
                           "1.1.1.*@tcp",
                           "*@tcp",
                           "*",
                           "*.*.*.*@tcp",
                           "1.1.1.1@*",
                           "1.1.1.1@tcp*",
                           "0@lo",
                           "x@lo",
                           "<?>",
                           "1.1.1.[2-1]@tcp",
                           "1.1.1.1-5@tcp",
                           "1.1.1.[1-5@tcp",
                           "1.1.1.1-5]@tcp",
                           "1.1.1.[[1-5]]@tcp",
                           "1.1.1.[1[2]3]@tcp",
                           "1.1.1.]1-5[@tcp",
                           "1.1.1.[1-5/x]@tcp",
                           "1.1.1.[1-5/0]@tcp",
                           "1.1.1.[]@tcp",
                           "1.1.[1.1]@tcp",
                           "[1.1.1.1]@tcp",
                           "1.1.1.1@tcp[",
                           "1.1.1.1@tcp[1-0]",
                           "1.1.1.1@tcp[65536]",
                           "1.1.1.1@[tcp]",
                           "1.1.1.1@tcp@tcp",
                           "2001:db8::/64@tcp",
                           "2001:db8::[1-2]@tcp",
                           "fe80::1%eth0@tcp",
                           "2001:db8::1@gip",
                           "1.1.1.1,,1.1.1.2",
                           ",1.1.1.1",
                           "1.1.1.1,",
                           ",",
                           "1-5@gni",
                           "[1-5@gni",
                           "[5-1]@gni",
                           "1.1.1.1@tcp 1",
                           "1.1.1.1@lo"}) {
    SCOPED_TRACE(text);
    const auto nids = expand_nids(text, kPeerLimit);
    ASSERT_FALSE(nids) << nids->size();
    EXPECT_EQ(nids.error().code, -EINVAL);
    EXPECT_FALSE(nids.error().reason.empty());
  }
}

TEST(NidRange, MoreThanTheLimitIsRefused) {  // spec/cli-lnetctl.md 8; spec/upstream-tests.md 99a
  EXPECT_EQ(expand_nids("1.1.1.[1-128]@tcp", kPeerLimit).value().size(), 128U);
  for (const char* text : {"1.1.1.[1-254]@tcp", "1.1.1.[1-100]@tcp,1.1.2.[1-29]@tcp",
                           "[1-20].[1-20].1.1@tcp", "1.1.1.1@tcp[1-129]", "[0-4294967295]@gni",
                           "[0-255].[0-255].[0-255].[0-255]@tcp[0-65535]"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(expand_nids(text, kPeerLimit).error().code, -E2BIG);
  }
}

TEST(NidRange, PatternsMatchWhatTheyDescribe) {
  EXPECT_TRUE(matches("10.1.[1-3].[4,8]@tcp[0-1]", "10.1.2.8@tcp1"));
  EXPECT_FALSE(matches("10.1.[1-3].[4,8]@tcp[0-1]", "10.1.2.8@tcp2"));
  EXPECT_FALSE(matches("10.1.[1-3].[4,8]@tcp[0-1]", "10.1.2.5@tcp"));
  EXPECT_FALSE(matches("10.1.[1-3].[4,8]@tcp", "10.1.2.8@o2ib"));
  EXPECT_TRUE(matches("192.168.*.*@tcp", "192.168.7.9@tcp"));
  EXPECT_TRUE(matches("[1-10]@gni", "10@gni"));
  EXPECT_FALSE(matches("[1-10]@gni", "11@gni"));
  EXPECT_TRUE(matches("0@lo", "0@lo"));
}

TEST(NidRange, TheStarMatchesEveryAddressAndEveryNid) {  // spec/cli-lnetctl.md 8
  EXPECT_TRUE(matches("*@tcp", "1.2.3.4@tcp"));
  EXPECT_TRUE(matches("*@tcp", "2001:db8::1@tcp"));
  EXPECT_FALSE(matches("*@tcp", "1.2.3.4@tcp1"));
  EXPECT_TRUE(matches("*@tcp*", "1.2.3.4@tcp1"));
  EXPECT_TRUE(matches("*@*", "1.2.3.4@o2ib7"));
  EXPECT_TRUE(matches("*", "2001:db8::1@tcp9"));
  EXPECT_TRUE(matches("*", "0@lo"));
  EXPECT_FALSE(matches("*.*.*.*@tcp", "2001:db8::1@tcp"));
}

TEST(NidRange, PrefixesMatchLargeNids) {  // spec/cli-lnetctl.md 8
  EXPECT_TRUE(matches("2001:db8::/64@tcp", "2001:db8::ffff@tcp"));
  EXPECT_FALSE(matches("2001:db8::/64@tcp", "2001:db8:0:1::1@tcp"));
  EXPECT_TRUE(matches("2001:db8::/63@tcp", "2001:db8:0:1::1@tcp"));
  EXPECT_TRUE(matches("::/0@tcp", "2001:db8::1@tcp"));
  EXPECT_FALSE(matches("::/0@tcp", "1.2.3.4@tcp"));
  EXPECT_TRUE(matches("2001:db8::1@tcp", "2001:db8::1@tcp"));
  EXPECT_TRUE(matches("2001:db8::1/128@tcp", "2001:db8::1@tcp"));
  EXPECT_FALSE(matches("2001:db8::1@tcp", "2001:db8::2@tcp"));
  EXPECT_FALSE(NidPattern::parse("2001:db8::/129@tcp"));
  EXPECT_FALSE(NidPattern::parse("2001:db8::/@tcp"));
  EXPECT_FALSE(NidPattern::parse("10.0.0.0/8@tcp"));
}

// spec/upstream-tests.md C, cases 150 to 162; spec/cli-lnetctl.md 9.3
TEST(NidRange, AddressPatternsOfIp2nets) {
  const auto fits = [](const char* pattern, const char* address) {
    return AddressPattern::parse_ip(pattern).value().matches(Nid::parse(address).value());
  };
  EXPECT_TRUE(fits("132.6.[1-3].[2-8/2]", "132.6.2.8"));
  EXPECT_FALSE(fits("132.6.[1-3].[2-8/2]", "132.6.2.7"));
  EXPECT_TRUE(fits("*.*.*.*", "1.2.3.4"));
  EXPECT_TRUE(fits("fd00::/8", "fd99::1"));
  EXPECT_TRUE(fits("fd99::1", "fd99::1"));
  EXPECT_FALSE(fits("fd99::1", "1.2.3.4"));
  EXPECT_FALSE(AddressPattern::parse_ip("*"));
  EXPECT_FALSE(AddressPattern::parse_ip("192.168.0"));
  EXPECT_FALSE(AddressPattern::parse_ip(""));
}

TEST(NidRange, NetPatterns) {
  const NetPattern nets = NetPattern::parse("tcp[1-3]").value();
  EXPECT_TRUE(nets.matches({NetType::kTcp, 2}));
  EXPECT_FALSE(nets.matches({NetType::kTcp, 0}));
  EXPECT_EQ(nets.expand(3).value().size(), 3U);
  EXPECT_EQ(nets.expand(2).error().code, -E2BIG);
  EXPECT_EQ(NetPattern::parse("*").value().expand(9).error().code, -EINVAL);
  EXPECT_TRUE(NetPattern::parse("lo").value().matches(NetId::loopback()));
  for (const char* text : {"", "foo", "tcp 1", "tcp[", "tcp[]", "lo1", "lo[0]", "tcp-1"})
    EXPECT_FALSE(NetPattern::parse(text)) << text;
}

TEST(NidRange, PrintsWhatItParses) {
  for (const char* text :
       {"10.1.[1-3].[4,8]@tcp[0-1]", "*@tcp", "*", "*@tcp*", "[1-10/3]@gni", "2001:db8::/64@tcp",
        "2001:db8::1@o2ib2", "1.2.3.4@tcp", "0@lo", "192.168.*.*@efa"}) {
    const NidPattern pattern = NidPattern::parse(text).value();
    EXPECT_EQ(pattern.to_string(), text);
    EXPECT_EQ(NidPattern::parse(pattern.to_string()).value(), pattern);
  }
}

TEST(NidRange, ListsSplitOutsideBracketsOnly) {  // spec/cli-lnetctl.md 8
  EXPECT_THAT(split_list("1.1.1.[1, 2]@tcp, 2.2.2.2  3.3.3.[4,5]").value(),
              ElementsAre("1.1.1.[1, 2]@tcp", "2.2.2.2", "3.3.3.[4,5]"));
  EXPECT_TRUE(split_list("").value().empty());
  EXPECT_TRUE(split_list(" \t\n").value().empty());
  EXPECT_FALSE(split_list("a,,b"));
  EXPECT_FALSE(split_list("[1"));
  EXPECT_FALSE(split_list("1]"));
  EXPECT_FALSE(split_list("[[1]]"));
}

TEST(NidRange, PatternListsMayHoldWildcards) {
  EXPECT_EQ(parse_nid_patterns("*@tcp 10.1.1.[1-2]@o2ib,*").value().size(), 3U);
  EXPECT_EQ(parse_nid_patterns("*@tcp foo").error().code, -EINVAL);
}

RC_GTEST_PROP(NidRange, ANidIsAPatternOfItself, ()) {
  const Nid nid = *rc::gen::oneOf(gen::small_nid(), gen::large_nid());
  const std::string text = nid.to_string();
  RC_PRE(Nid::parse(text) && !nid.is_loopback());
  RC_ASSERT(NidPattern::parse(text).value().matches(nid));
  RC_ASSERT(expand_nids(text, 1).value() == std::vector<Nid>{nid});
}

RC_GTEST_PROP(NidRange, ExpandedNidsMatch, ()) {
  const auto part = [] {
    const auto lo = *rc::gen::inRange(0, 256);
    return "[" + std::to_string(lo) + "-" +
           std::to_string(std::min(255, lo + *rc::gen::inRange(0, 3))) + "]";
  };
  const std::string text = part() + "." + part() + "." + part() + "." + part() + "@tcp" + part();
  const NidPattern pattern = NidPattern::parse(text).value();
  RC_ASSERT(NidPattern::parse(pattern.to_string()).value() == pattern);
  const auto nids = pattern.expand(1000).value();
  for (const Nid& nid : nids) RC_ASSERT(pattern.matches(nid));
  RC_ASSERT(std::is_sorted(nids.begin(), nids.end()));
}

}  // namespace
}  // namespace ulnet::wire
