// Cases of the upstream suite about unhealthy NIs (spec/upstream-tests.md E): they are pinged on a
// schedule, for as long as the limit allows, until they are healthy again. spec/multirail.md 5, 7.
#include <gmock/gmock.h>

#include "upstream.h"

namespace ulnet::sim {
namespace {

using core::Health;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const Nid kOne = rail(1), kOnOtherNet = rail(1, 1, 1);

core::Globals limited(std::int32_t recovery_limit, std::int32_t max_interval = 900) {
  core::Globals globals;
  globals.recovery_limit = recovery_limit;
  globals.max_recovery_ping_interval = max_interval;
  return globals;
}

/// A node on two nets that has discovered itself, and has got messages from itself by each NID.
struct ThisNode : ::testing::Test {
  ThisNode() {
    EXPECT_EQ(discovered(node, kOne), 0);
    EXPECT_EQ(nids_of(node, kOnOtherNet), (std::vector{kOne, kOnOtherNet}));
    for (const Nid& nid : {kOne, kOnOtherNet}) EXPECT_EQ(pinged(node, nid, nid), 0);
  }
  void set_health(std::int32_t value) { does(node, core::call::SetNiHealth{kOne, value}); }
  void set_peer_health(std::int32_t value) { does(node, core::call::SetPeerNiHealth{kOne, value}); }
  bool pinged_in_vain(std::int32_t count, Duration time) {
    return within(given, time, [&] { return ni_of(node, kOne).ping_count == count; });
  }
  bool peer_ni_pinged_in_vain(std::int32_t count, Duration time) {
    return within(given, time, [&] { return peer_ni_of(node, kOne).ping_count == count; });
  }

  Cluster given;
  Person node = given.person("node", {kOne, kOnOtherNet}, limited(10));
};

TEST_F(ThisNode, 210AnNiOfThisNodeIsPingedWithAnyLimit) {  // spec/upstream-tests.md 210
  lets_gets_fail(node, Health::kLocalError);
  set_health(0);
  EXPECT_TRUE(pinged_in_vain(2, seconds(10)));
  EXPECT_THAT(in_recovery(node, true), Contains(kOne));
  EXPECT_TRUE(pinged_in_vain(3, seconds(10)));
  given.runs_for(seconds(60));
  EXPECT_THAT(in_recovery(node, true), Contains(kOne)) << "the limit is six times over";
}

TEST_F(ThisNode, 210WithAShortIntervalItIsPingedMoreOften) {  // spec/upstream-tests.md 210
  node.node.configure(limited(10, 4));
  lets_gets_fail(node, Health::kLocalError);
  set_health(0);
  EXPECT_TRUE(pinged_in_vain(2, seconds(10)));
  EXPECT_TRUE(pinged_in_vain(4, seconds(10)));
  EXPECT_THAT(in_recovery(node, true), Contains(kOne));
}

TEST_F(ThisNode, 211APeerNiIsGivenUpWhenTheLimitIsOver) {  // spec/upstream-tests.md 211
  lets_gets_fail(node, Health::kRemoteError);
  set_peer_health(0);
  EXPECT_THAT(in_recovery(node, false), ElementsAre(kOne));
  given.runs_for(seconds(10));
  EXPECT_THAT(in_recovery(node, false), ElementsAre(kOne));
  EXPECT_TRUE(within(given, seconds(10), [&] { return in_recovery(node, false).empty(); }));
  EXPECT_EQ(peer_ni_of(node, kOne).ping_count, 0);
  EXPECT_EQ(peer_ni_of(node, kOne).health_value, 0);
}

TEST_F(ThisNode, 211WithoutALimitItRecovers) {  // spec/upstream-tests.md 211
  node.node.configure(limited(0));
  set_peer_health(500);
  EXPECT_THAT(in_recovery(node, false), ElementsAre(kOne));
  // A node that pings itself gets two messages for each ping: the GET, and the REPLY to it.
  EXPECT_TRUE(within(given, seconds(6), [&] { return in_recovery(node, false).empty(); }));
  EXPECT_EQ(peer_ni_of(node, kOne).health_value, 1000);
}

TEST_F(ThisNode, 211WithAShortIntervalItIsPingedMoreOften) {  // spec/upstream-tests.md 211
  node.node.configure(limited(0, 4));
  lets_gets_fail(node, Health::kRemoteError);
  set_peer_health(500);
  EXPECT_TRUE(peer_ni_pinged_in_vain(1, seconds(4)));
  EXPECT_TRUE(peer_ni_pinged_in_vain(4, seconds(14)));
  EXPECT_THAT(in_recovery(node, false), ElementsAre(kOne));
}

TEST_F(ThisNode, 216ANodeDoesNotBlameItselfAsAPeer) {  // spec/upstream-tests.md 216
  lets_gets_fail(node, Health::kNetworkTimeout);
  EXPECT_EQ(pinged(node, kOne), -EIO);
  EXPECT_THAT(in_recovery(node, false), IsEmpty());
  EXPECT_THAT(in_recovery(node, true), Not(IsEmpty()));
}

TEST_F(ThisNode, 235AnNiAtTheBottomIsDownAndComesUpAgain) {  // spec/upstream-tests.md 235
  lets_gets_fail(node, Health::kLocalTimeout, kOne, kOne);
  set_health(100);
  EXPECT_TRUE(within(given, seconds(60), [&] { return !ni_of(node, kOne).up; }));
  EXPECT_TRUE(ni_of(node, kOnOtherNet).up);
  takes_away(node);
  set_health(900);
  EXPECT_TRUE(within(given, seconds(60), [&] { return ni_of(node, kOne).up; }));
}

TEST(Upstream, 218ARecoveryPingTakesTheWayThatIsLeft) {  // spec/upstream-tests.md 218
  Cluster given;
  const Nid second = rail(1, 1);
  Person node = given.person("node", {kOne, second});
  EXPECT_EQ(discovered(node, kOne), 0);
  lets_gets_fail(node, Health::kLocalError, kOne, kOne);
  EXPECT_EQ(pinged(node, kOne, kOne), -EIO);
  EXPECT_EQ(ni_of(node, kOne).health_value, 900);
  EXPECT_TRUE(within(given, seconds(5), [&] {
    return ni_of(node, kOne).health_value == 1000 && ni_of(node, second).health_value == 1000;
  }));
}

TEST(Upstream, 252APingOfANodeThatHasStoppedEnds) {  // spec/upstream-tests.md 252
  Cluster given;
  Person near = given.person("near", {rail(1)}), far = given.person("far", {rail(2)});
  EXPECT_EQ(discovered(near, rail(2)), 0);
  ends_cleanly(given, far);
  // A message that is written to a connection before its end is seen gets no answer.
  given.runs_for(seconds(1));
  const Instant begun = given.world.now();
  EXPECT_LT(pinged(near, rail(2), Nid::any(), seconds(15)), 0);
  EXPECT_LT(given.world.now() - begun, seconds(15));
}

TEST(Upstream, 303ALinkThatGoesDownCostsThePeerNiHealth) {  // spec/upstream-tests.md 303
  Cluster given;
  Person near = given.person("near", {rail(1), rail(1, 1, 1), rail(1, 2, 2)});
  Person far = given.person("far", {rail(2, 3), rail(2, 4, 1)});
  EXPECT_EQ(discovered(far, rail(1)), 0);
  given.runs_for(seconds(1));
  EXPECT_EQ(peer_ni_of(far, rail(1, 2, 2)).health_value, 1000);
  near.node.set_link(2, false);
  EXPECT_TRUE(within(given, seconds(10),
                     [&] { return peer_ni_of(far, rail(1, 2, 2)).health_value < 1000; }));
  EXPECT_EQ(nids_of(far, rail(1, 1, 1)).front(), rail(1)) << "the primary NID is the same";
  EXPECT_FALSE(ni_of(near, rail(1, 2, 2)).up);
}

}  // namespace
}  // namespace ulnet::sim
