// Cases of the upstream suite about discovery while messages are lost or delayed
// (spec/upstream-tests.md F): discovery ends, and leaves nothing behind. spec/multirail.md 4.
#include "upstream.h"

namespace ulnet::sim {
namespace {

using core::Health;

const Nid kAlicesNet = rail(1), kAlicesOtherNet = rail(1, 1, 1);
const Nid kBobsNet = rail(2, 2), kBobsOtherNet = rail(2, 3, 1);

/// Two nodes that have not met, with one NID each, or with two.
struct Pair : ::testing::TestWithParam<bool> {
  Person person(const char* name, const Nid& first, const Nid& second) {
    core::Globals globals;
    globals.transaction_timeout = 10;
    return given.person(name, GetParam() ? std::vector{first, second} : std::vector{first},
                        globals);
  }
  void both_ask() {
    does(alice, core::call::Discover{.nid = kBobsNet, .force = true, .ticket = ++calls});
    does(bob, core::call::Discover{.nid = kAlicesNet, .force = true, .ticket = ++calls});
  }
  void expect_found() {
    EXPECT_EQ(peer_of(alice, kBobsNet)->state, kFoundOut);
    EXPECT_EQ(peer_of(bob, kAlicesNet)->state, kFoundOut);
    if (GetParam()) {
      EXPECT_EQ(nids_of(alice, kBobsNet), (std::vector{kBobsNet, kBobsOtherNet}));
      EXPECT_EQ(nids_of(bob, kAlicesNet), (std::vector{kAlicesNet, kAlicesOtherNet}));
    }
  }

  Cluster given;
  Person alice = person("alice", kAlicesNet, kAlicesOtherNet),
         bob = person("bob", kBobsNet, kBobsOtherNet);
  std::uint64_t calls = 1000;
};

TEST_P(Pair, 212AFailedDiscoveryIsDoneAgain) {  // spec/upstream-tests.md 212
  lets_gets_fail(alice, Health::kLocalError);
  EXPECT_EQ(discovered(alice, kBobsNet), -EIO);
  EXPECT_TRUE(peer_of(alice, kBobsNet)->has(core::kPeerRediscover));
  takes_away(alice);
  EXPECT_EQ(discovered(alice, kBobsNet), 0);
  given.comes_to_rest();
  expect_found();
}

TEST_P(Pair, 212CrossingDiscoveriesEnd) {  // spec/upstream-tests.md 212
  for (Person* each : {&alice, &bob}) holds_up(*each, core::kFaultGet, 2);
  both_ask();
  given.runs_for(seconds(1));
  for (Person* each : {&alice, &bob}) {
    takes_away(*each, core::FaultRule::Kind::kDelay);
    puts_in(*each, rule_on(core::kFaultGet));  // GETs that arrive are lost
    holds_up(*each, core::kFaultPut, 3);
  }
  both_ask();
  EXPECT_TRUE(within(given, seconds(60), [&] {
    return !peer_of(alice, kBobsNet)->has(core::kPeerDiscovering) &&
           !peer_of(bob, kAlicesNet)->has(core::kPeerDiscovering);
  }));
  for (Person* each : {&alice, &bob}) takes_away(*each);
  both_ask();
  given.comes_to_rest();
  expect_found();
  for (Person* each : {&alice, &bob}) ends_cleanly(given, *each);
}

TEST_P(Pair, 212ANodeEndsInTheMiddleOfADiscovery) {  // spec/upstream-tests.md 212
  holds_up(bob, core::kFaultGet | core::kFaultPut, 30);
  both_ask();
  given.runs_for(seconds(1));
  for (Person* each : {&alice, &bob}) ends_cleanly(given, *each);
}

INSTANTIATE_TEST_SUITE_P(Upstream, Pair, ::testing::Bool(),
                         [](const auto& rails) { return rails.param ? "TwoRails" : "OneRail"; });

TEST(Upstream, 500ALinkGoesAndComesWhileMessagesFail) {  // spec/upstream-tests.md 500
  Cluster given;
  Person node = given.person("node", {rail(1), rail(1, 1)});
  EXPECT_EQ(discovered(node, rail(1)), 0);
  holds_up(node, core::kFaultPut, 2);
  core::FaultRule fails = rule_on(core::kFaultPut);
  fails.errors = 1U << static_cast<std::uint32_t>(Health::kLocalTimeout);
  puts_in(node, fails);
  std::vector<Lent*> puts;
  for (int i = 0; i < 4; ++i)
    puts.push_back(&node.puts({.to = node.node.id(1), .ack = AckRequest::kAck}));
  node.node.set_link(1, false);
  EXPECT_TRUE(within(given, seconds(1), [&] { return !ni_of(node, rail(1, 1)).up; }));
  EXPECT_EQ(discovered(node, rail(1, 1)), 0);
  given.runs_for(seconds(1));
  node.node.set_link(1, true);
  EXPECT_TRUE(within(given, seconds(60), [&] { return ni_of(node, rail(1, 1)).up; }));
  EXPECT_EQ(discovered(node, rail(1)), 0);
  for (Lent* put : puts) {
    EXPECT_EQ(put->reported(), "SEND -5");
    EXPECT_EQ(node.unlinks(*put), 0);
  }
  ends_cleanly(given, node);
}

}  // namespace
}  // namespace ulnet::sim
