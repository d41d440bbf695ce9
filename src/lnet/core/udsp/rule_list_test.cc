// Rules as administrators write them, and the list of them (spec/multirail.md 10.1, 10.2).
#include "lnet/core/udsp/rule_list.h"

#include <gmock/gmock.h>

#include "lnet/base/limits.h"
#include "lnet/core/udsp/udsp_fixture.h"

namespace ulnet::core::udsp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string printed(std::string_view text) {
  const auto criterion = Criterion::parse(text);
  return criterion ? criterion->to_string() : "refused: " + criterion.error().reason;
}

TEST(UdspCriterion, NamesNetsOrNidsByItsText) {  // spec/multirail.md 10.1
  EXPECT_TRUE(Criterion::parse("tcp")->names_nets());
  EXPECT_TRUE(Criterion::parse("o2ib*")->names_nets());
  EXPECT_TRUE(Criterion::parse("*")->names_nets());
  EXPECT_FALSE(Criterion::parse("*@o2ib")->names_nets());
  EXPECT_FALSE(Criterion::parse("10.1.1.1")->names_nets()) << "an address is on tcp";
  EXPECT_FALSE(Criterion::parse("2001:db8::1@tcp")->names_nets());
}

TEST(UdspCriterion, CoversTheNidsOfItsNets) {  // spec/multirail.md 10.1
  const auto nets = Criterion::parse("o2ib[1,2]").value();
  EXPECT_TRUE(nets.names(net_of("o2ib2")));
  EXPECT_FALSE(nets.names(net_of("o2ib3")));
  EXPECT_FALSE(nets.names(nid_of("10.1.1.1@o2ib2"))) << "a net is not its NIDs";
  EXPECT_TRUE(nets.covers(nid_of("10.1.1.1@o2ib2")));
  EXPECT_FALSE(nets.covers(nid_of("10.1.1.1@o2ib")));
  const auto nids = Criterion::parse("10.1.1.[1-5]@tcp[1-3]").value();
  EXPECT_TRUE(nids.covers(nid_of("10.1.1.5@tcp3")));
  EXPECT_FALSE(nids.covers(nid_of("10.1.1.6@tcp3")));
  EXPECT_FALSE(nids.names(net_of("tcp3")));
  EXPECT_TRUE(Criterion::parse("*@*")->covers(nid_of("7@gni")));
  EXPECT_TRUE(Criterion::parse("2001:db8::/32@tcp")->covers(nid_of("2001:db8::9@tcp")));
}

TEST(UdspCriterion, IsPrintedAsItIsReadAgain) {
  for (const char* text : {"tcp", "tcp3", "tcp[1-3]", "o2ib*", "*", "*@*", "*@o2ib", "lo", "0@lo",
                           "10.1.1.[1-5]@tcp[1-3]", "2001:db8::/64@tcp", "[1-10/2,13]@gni"})
    EXPECT_EQ(printed(text), text);
  EXPECT_EQ(printed("tcp0"), "tcp");
  EXPECT_EQ(printed("10.1.1.1"), "10.1.1.1@tcp");
  EXPECT_EQ(Criterion::parse("tcp").value(), Criterion::parse("tcp[0]").value());
}

TEST(UdspCriterion, BadPatternsAreRefused) {  // spec/multirail.md 10.1
  for (const char* text : {"", "foo", "tcp1x", "10.1.1.1@foo", "1.1.1@tcp", "10.1.1.256@tcp",
                           "10.1.1.[5-1]@tcp", "@tcp", "10.1.1.[@tcp"})
    EXPECT_EQ(Criterion::parse(text).error().code, -EINVAL) << text;
  const std::string longest = "tcp[" + std::string(limits::kUdspTextMax - 5, '1') + "]";
  EXPECT_EQ(Criterion::parse(longest).error().code, -EINVAL) << "no number has this many digits";
  EXPECT_EQ(Criterion::parse(longest + " ").error().code, -E2BIG);
}

TEST(UdspRule, OneCriterionWithoutAPriorityHasTheHighest) {  // spec/multirail.md 10.1
  EXPECT_EQ(settled(rule_of({.src = "tcp"}))->priority, 0U);
  EXPECT_EQ(settled(rule_of({.dst = "10.1.1.1@tcp"}))->priority, 0U);
  EXPECT_EQ(settled(rule_of({.src = "tcp", .priority = 7}))->priority, 7U);
  EXPECT_EQ(settled(rule_of({.src = "tcp", .dst = "tcp"}))->priority, std::nullopt);
  EXPECT_EQ(settled(rule_of({.src = "tcp", .dst = "tcp", .priority = 7}))->priority, 7U);
  EXPECT_TRUE(settled(rule_of({.rte = "10.1.1.1@tcp"}))) << "kept, without an effect";
}

TEST(UdspRule, TheCombinationsAreThoseOfTheTable) {  // spec/multirail.md 10.1
  EXPECT_TRUE(settled(rule_of({.src = "tcp", .dst = "tcp"})));
  EXPECT_TRUE(settled(rule_of({.dst = "tcp", .rte = "tcp"})));
  for (const Rule& refused : {rule_of({}), rule_of({.src = "tcp", .rte = "tcp"}),
                              rule_of({.src = "tcp", .dst = "tcp", .rte = "tcp"})})
    EXPECT_EQ(settled(refused).error().code, -EINVAL) << words_of(refused);
  EXPECT_THAT(settled(rule_of({.src = "tcp", .rte = "tcp"})).error().reason,
              HasSubstr("src and rte cannot be combined"));
}

TEST(UdspRule, WordsThatAreNoRuleAreNamed) {
  EXPECT_THAT(parse_rule({.src = "foo"}).error().reason,
              HasSubstr("failed to parse src parameter"));
  EXPECT_THAT(parse_rule({.dst = "1.1.1@tcp"}).error().reason,
              HasSubstr("failed to parse dst parameter"));
  EXPECT_THAT(parse_rule({.rte = "@"}).error().reason, HasSubstr("failed to parse rte parameter"));
  for (const std::int64_t priority : {std::int64_t{-1}, kPriorityMax + 1, INT64_MAX, INT64_MIN})
    EXPECT_EQ(parse_rule({.src = "tcp", .priority = priority}).error().code, -EINVAL) << priority;
  EXPECT_EQ(parse_rule({.src = "tcp", .priority = kPriorityMax})->priority, 0x7fffffffU);
}

TEST(UdspRules, AreInsertedWhereTheIndexSaysElseAtTheEnd) {  // spec/multirail.md 10.2
  RuleList list;
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1"})));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp2"})));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp3"}), 0));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp4"}), 2));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp5"}), 99));
  EXPECT_THAT(words_of(list),
              ElementsAre("src=tcp3 0", "src=tcp1 0", "src=tcp4 0", "src=tcp2 0", "src=tcp5 0"));
}

TEST(UdspRules, TheSameCriteriaAgainChangeThePriorityInItsPlace) {  // spec/multirail.md 10.2
  RuleList list;
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1", .priority = 5})));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp2", .priority = 5})));
  const std::uint64_t id = list.entries()[0].id;
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1", .priority = 6}), 2));
  EXPECT_THAT(words_of(list), ElementsAre("src=tcp1 6", "src=tcp2 5"));
  EXPECT_EQ(list.add(rule_of({.src = "tcp1", .priority = 6})).error().code, -EALREADY);
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1"}))) << "no priority is priority 0";
  EXPECT_THAT(words_of(list), ElementsAre("src=tcp1 0", "src=tcp2 5"));
  EXPECT_EQ(list.add(rule_of({.src = "tcp1"})).error().code, -EALREADY);
  EXPECT_EQ(list.entries()[0].id, id);
  EXPECT_TRUE(list.add(rule_of({.dst = "tcp1"}))) << "another criterion is another rule";
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1", .dst = "tcp1"})));
  EXPECT_EQ(list.add(rule_of({.src = "tcp1", .dst = "tcp1"})).error().code, -EALREADY);
  EXPECT_EQ(list.entries().size(), 4U);
}

TEST(UdspRules, AreDeletedByTheirIndex) {  // spec/multirail.md 10.2
  RuleList list;
  for (const char* net : {"tcp1", "tcp2", "tcp3"}) EXPECT_TRUE(list.add(rule_of({.src = net})));
  EXPECT_EQ(list.del(3).error().code, -ENOENT);
  EXPECT_TRUE(list.del(1));
  EXPECT_THAT(words_of(list), ElementsAre("src=tcp1 0", "src=tcp3 0"));
  list.clear();
  EXPECT_THAT(words_of(list), IsEmpty());
  EXPECT_EQ(list.del(0).error().code, -ENOENT);
}

TEST(UdspRules, AnIdNamesOneRuleForEver) {
  RuleList list;
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1"})));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp2"}), 0));
  const std::uint64_t first = list.entries()[1].id;
  EXPECT_EQ(list.index_of(first), 1U);
  EXPECT_TRUE(list.del(0));
  EXPECT_EQ(list.index_of(first), 0U);
  list.clear();
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1"})));
  EXPECT_NE(list.entries()[0].id, first);
  EXPECT_EQ(list.index_of(first), std::nullopt);
}

TEST(UdspRules, TheNumberOfRulesIsLimited) {
  RuleList list;
  for (std::size_t i = 0; i < limits::kUdspRules; ++i)
    ASSERT_TRUE(list.add(rule_of({.src = "tcp" + std::to_string(i + 1)})));
  EXPECT_EQ(list.add(rule_of({.src = "tcp"})).error().code, -ENOSPC);
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1", .priority = 3}))) << "no rule more";
  EXPECT_TRUE(list.del(0));
  EXPECT_TRUE(list.add(rule_of({.src = "tcp"})));
}

TEST(UdspRules, ARefusedRuleChangesNothing) {
  RuleList list;
  EXPECT_TRUE(list.add(rule_of({.src = "tcp1"})));
  EXPECT_EQ(list.add(rule_of({.src = "tcp2", .rte = "tcp1"}), 0).error().code, -EINVAL);
  EXPECT_THAT(words_of(list), ElementsAre("src=tcp1 0"));
}

}  // namespace
}  // namespace ulnet::core::udsp
