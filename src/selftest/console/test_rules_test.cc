#include "selftest/console/test_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selftest/console/fake_nodes_fixture.h"

namespace ulnet::svc::selftest::console {
namespace {

using ::testing::HasSubstr;

TestSpec brw(std::uint32_t size) { return {.service = wire::LstService::kBrw, .size = size}; }

std::string why(const TestSpec& spec, std::uint32_t features = wire::kLstFeatures) {
  const auto allowed = check_test(spec, features);
  return allowed ? "" : allowed.error().reason;
}

Members nodes(std::uint32_t count) {
  Members members;
  for (std::uint32_t i = 0; i < count; ++i) {
    members.push_back(std::make_shared<Member>());
    members.back()->id = test::node_id(i);
  }
  return members;
}

TEST(TestRules, CommonTestsAreAllowed) {
  for (const std::uint32_t size : {8U, 4096U, 65536U, 1U << 20}) EXPECT_EQ(why(brw(size)), "");
  EXPECT_EQ(why({.service = wire::LstService::kPing}), "");
}

// spec/wire-selftest.md 4.2: this size stops every production node, even if the user confirms it.
TEST(TestRules, ASizeThatStopsProductionNodesIsSentToUlnetNodesOnly) {  // spec/cli-lst.md 5
  TestSpec spec = brw(4001);
  EXPECT_EQ(why(spec), "");
  Members clients = nodes(2), servers = nodes(2);
  for (const Members& members : {clients, servers})
    for (const MemberPtr& member : members) member->abilities = wire::kLstAbilities;
  EXPECT_TRUE(check_parties(spec, clients, servers));
  for (const Members& members : {clients, servers}) {
    members[1]->abilities = wire::kLstTakesRisks;
    for (const bool answered_for : {false, true}) {
      spec.nodes_are_safe = answered_for;
      const auto allowed = check_parties(spec, clients, servers);
      ASSERT_FALSE(allowed);
      EXPECT_THAT(allowed.error().reason,
                  HasSubstr("size=4001 stops production nodes, which need a multiple of 8, and " +
                            test::node_id(1).to_string() + " is not known to be ulnet"));
    }
    members[1]->abilities = wire::kLstAbilities;
  }
  EXPECT_TRUE(std::get<wire::LstBrwBytes>(parameters_of(spec, wire::kLstFeatures)).any_length);
}

// spec/wire-selftest.md 4.2, 6: each of these stops some production nodes.
TEST(TestRules, RiskyTestsGoOnlyToNodesThatSupportThem) {  // spec/cli-lst.md 5
  TestSpec discard = brw(4096), shifted = brw(4096);
  discard.check = wire::LstCheck::kDiscard;
  shifted.offset = 8;
  for (const TestSpec& spec : {discard, shifted}) {
    EXPECT_EQ(why(spec), "");
    for (const bool client : {true, false}) {
      Members clients = nodes(3), servers = nodes(3);
      for (const Members& members : {clients, servers})
        for (const MemberPtr& member : members) member->abilities = wire::kLstAbilities;
      EXPECT_TRUE(check_parties(spec, clients, servers));
      (client ? clients : servers)[1]->abilities = wire::kLstReportsLatency;
      const auto allowed = check_parties(spec, clients, servers);
      ASSERT_FALSE(allowed);
      EXPECT_THAT(allowed.error().reason, HasSubstr("stops production nodes of version 2.16"));
      EXPECT_THAT(allowed.error().reason,
                  HasSubstr(test::node_id(1).to_string() + " is not known to be ulnet"));
      EXPECT_THAT(allowed.error().reason, HasSubstr("--nodes-are-safe"));
      TestSpec answered_for = spec;
      answered_for.nodes_are_safe = true;
      EXPECT_TRUE(check_parties(answered_for, clients, servers));
    }
  }
  EXPECT_TRUE(check_parties(brw(4096), nodes(1), nodes(1)));
}

// spec/wire-selftest.md 3.4, 5.1
TEST(TestRules, AnOffsetIsInTheFirstPage) {
  TestSpec spec = brw(4096);
  for (const std::uint32_t offset : {0U, 8U, 4088U}) {
    spec.offset = offset;
    EXPECT_EQ(why(spec), "");
  }
  for (const std::uint32_t offset : {4U, 4096U}) {
    spec.offset = offset;
    EXPECT_THAT(why(spec), HasSubstr("Invalid offset"));
  }
  spec.offset = 8;
  EXPECT_THAT(why(spec, 0), HasSubstr("counts pages"));
}

TEST(TestRules, NumbersOutOfRangeAreRefused) {
  EXPECT_THAT(why(brw(0)), HasSubstr("Size exceed limitation: 0 bytes"));
  EXPECT_THAT(why(brw((1 << 20) + 8)), HasSubstr("Size exceed limitation: 1048584 bytes"));
  EXPECT_THAT(why({.concurrency = 0}), HasSubstr("concurrency"));
  EXPECT_THAT(why({.concurrency = 1025}), HasSubstr("1025"));
  EXPECT_EQ(why({.concurrency = 1024}), "");
  EXPECT_THAT(why({.loop = 0}), HasSubstr("loop"));
  EXPECT_THAT(why({.spread = {0, 1}}), HasSubstr("0:1"));
  EXPECT_THAT(why({.spread = {1, 0}}), HasSubstr("1:0"));
}

TEST(TestRules, ASessionThatCountsPagesTakesWholeOnes) {  // spec/wire-selftest.md 2.3
  EXPECT_THAT(why(brw(64), 0), HasSubstr("counts pages"));
  EXPECT_EQ(why(brw(8192), 0), "");
  EXPECT_EQ(parameters_of(brw(8192), 0),
            wire::LstParameters(wire::LstBrwPages{.op = wire::LstBrwOp::kRead, .pages = 2}));
}

TEST(TestRules, ParametersSayWhatWasAskedFor) {  // spec/cli-lst.md 5
  TestSpec spec = brw(1 << 20);
  spec.write = true;
  spec.check = wire::LstCheck::kSimple;
  EXPECT_EQ(
      parameters_of(spec, wire::kLstFeatures),
      wire::LstParameters(wire::LstBrwBytes{
          .op = wire::LstBrwOp::kWrite, .check = wire::LstCheck::kSimple, .length = 1 << 20}));
  EXPECT_EQ(parameters_of({.service = wire::LstService::kPing}, wire::kLstFeatures),
            wire::LstParameters(wire::LstPingParameters{}));
}

TEST(TestRules, EveryClientFindsItsServers) {  // spec/cli-lst.md 4
  const auto why_not = [](const TestSpec& spec, std::uint32_t clients, std::uint32_t servers) {
    const auto allowed = check_parties(spec, nodes(clients), nodes(servers));
    return allowed ? "" : allowed.error().reason;
  };
  EXPECT_EQ(why_not({.spread = {1, 3}}, 1, 3), "");
  EXPECT_THAT(why_not({.spread = {1, 3}}, 1, 2), HasSubstr("3 servers, but only 2"));
  EXPECT_THAT(why_not({}, 0, 1), HasSubstr("group of clients has no active node"));
  EXPECT_THAT(why_not({}, 1, 0), HasSubstr("group of servers has no active node"));
  EXPECT_EQ(why_not({.spread = {1, 341}}, 1, 400), "");
  EXPECT_THAT(why_not({.spread = {1, 342}}, 1, 400), HasSubstr("holds 341"));
}

TEST(TestRules, AServerHasAShortAddress) {
  Members servers = nodes(1);
  servers[0]->id.nid = *Nid::parse("2001:db8::1@tcp");
  const auto allowed = check_parties({}, nodes(1), servers);
  ASSERT_FALSE(allowed);
  EXPECT_THAT(allowed.error().reason, HasSubstr("2001:db8::1@tcp cannot be a server"));
  EXPECT_TRUE(check_parties({}, servers, nodes(1))) << "but it may be a client";
}

}  // namespace
}  // namespace ulnet::svc::selftest::console
