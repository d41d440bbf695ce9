// Every error that a fault rule can simulate: whose health it lowers, and whether the message is
// sent again. The table of spec/multirail.md 5.2, as production nodes have shown it (observed.md
// 1.1), and the upstream suite's cases 204 to 209, 233, 253 and 254 (spec/upstream-tests.md E).
#include <gmock/gmock.h>

#include "lnet/core/flow/fault_fixture.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;

struct Class {
  Health error;
  bool resent;
  bool blames_ni, blames_peer;
  std::uint64_t GlobalStats::*counter;
};
constexpr Class kClasses[] = {
    {Health::kLocalInterrupt, true, true, false, &GlobalStats::local_interrupt_count},
    {Health::kLocalDropped, true, true, false, &GlobalStats::local_dropped_count},
    {Health::kLocalAborted, true, true, false, &GlobalStats::local_aborted_count},
    {Health::kLocalNoRoute, true, true, false, &GlobalStats::local_no_route_count},
    {Health::kLocalTimeout, true, true, false, &GlobalStats::local_timeout_count},
    {Health::kLocalError, false, true, false, &GlobalStats::local_error_count},
    {Health::kRemoteDropped, true, false, true, &GlobalStats::remote_dropped_count},
    {Health::kRemoteError, false, false, true, &GlobalStats::remote_error_count},
    {Health::kRemoteTimeout, false, false, true, &GlobalStats::remote_timeout_count},
    {Health::kNetworkTimeout, false, true, true, &GlobalStats::network_timeout_count},
};

// spec/multirail.md 5.2, 11.2
TEST(FaultHealth, OneRailOfTwoAsSeen) {  // the recording has two pings for each error
  for (const Class& row : kClasses) {
    SCOPED_TRACE(to_string(row.error));
    FaultyPipe p(true);
    FaultRule rule = error_rule(row.error);
    rule.source = FaultNids::parse("*@tcp1").value();
    rule.destination = FaultNids::parse(tcp(2, 1).to_string()).value();
    p.add(p.a, rule);
    const int first = p.pinged(), second = p.pinged();
    EXPECT_EQ(p.faults(p.a).at(0).hits, 1U) << "the other rail is taken afterwards";
    if (row.resent) {
      EXPECT_EQ(first, 0);
      EXPECT_EQ(second, 0);
    } else {
      EXPECT_EQ(std::min(first, second), -EIO);
      EXPECT_EQ(std::max(first, second), 0);
    }
    EXPECT_EQ(p.ni_health(tcp(1)), 1000);
    EXPECT_EQ(p.ni_health(tcp(1, 1)), row.blames_ni ? 900 : 1000);
    EXPECT_EQ(p.peer_health(tcp(2)), 1000);
    EXPECT_EQ(p.peer_health(tcp(2, 1)), row.blames_peer ? 900 : 1000);
    const GlobalStats stats = p.stats();
    EXPECT_EQ(stats.resend_count, row.resent ? 1U : 0U);
    EXPECT_EQ(stats.successful_resends, row.resent ? 1U : 0U);
    EXPECT_EQ(stats.failed_resends, 0U);
    for (const Class& other : kClasses)
      EXPECT_EQ(stats.*other.counter, other.error == row.error ? 1U : 0U) << to_string(other.error);
    p.expect_idle();
  }
}

// spec/multirail.md 5.2; spec/upstream-tests.md 204, 206, 209
TEST(FaultHealth, OneRailIsNeverSentAgain) {
  for (const Class& row : kClasses) {
    SCOPED_TRACE(to_string(row.error));
    FaultyPipe p(false);
    EXPECT_EQ(p.pinged(), 0);
    p.add(p.a, error_rule(row.error));
    EXPECT_EQ(p.pinged(), -EIO);
    EXPECT_EQ(p.stats().resend_count, 0U);
    EXPECT_EQ(p.local_health(false), row.blames_ni ? 900 : 1000);
    EXPECT_EQ(p.remote_health(false), 1000) << "the only NID of a peer is not blamed";
    EXPECT_EQ(p.stats().*row.counter, 1U);
    p.expect_idle();
  }
}

// spec/multirail.md 5.2; spec/upstream-tests.md 205, 207, 209
TEST(FaultHealth, AllRailsFailUntilTheTriesAreUsedUp) {
  for (const Class& row : kClasses) {
    SCOPED_TRACE(to_string(row.error));
    FaultyPipe p(true);
    p.add(p.a, error_rule(row.error));
    EXPECT_EQ(p.pinged(), -EIO);
    const GlobalStats stats = p.stats();
    EXPECT_EQ(stats.resend_count, row.resent ? 2U : 0U) << "retry_count";
    EXPECT_EQ(stats.failed_resends, row.resent ? 1U : 0U);
    EXPECT_EQ(stats.successful_resends, 0U);
    EXPECT_EQ(p.local_health(true) < 2000, row.blames_ni);
    EXPECT_EQ(p.remote_health(true) < 2000, row.blames_peer);
    EXPECT_EQ(stats.*row.counter, row.resent ? 3U : 1U);
    p.expect_idle();
  }
}

TEST(FaultHealth, ADiscoveryAlsoFails) {  // spec/upstream-tests.md 209
  for (const bool rails : {false, true}) {
    FaultyPipe p(rails);
    p.add(p.a, error_rule(Health::kNetworkTimeout));
    p.call(p.a, call::Discover{tcp(2), true, 77});
    ASSERT_EQ(p.a.dones.size(), 1U);
    EXPECT_EQ(p.a.dones[0].status, -EIO);
    EXPECT_EQ(p.stats().resend_count, 0U);
    EXPECT_LT(p.local_health(rails), rails ? 2000 : 1000);
    EXPECT_EQ(p.remote_health(rails) < (rails ? 2000 : 1000), rails);
  }
}

// spec/multirail.md 5.2; spec/upstream-tests.md 233
TEST(FaultHealth, AFailureThenSuccessIsOneResend) {
  ONE_SHARD_ONLY();  // each shard counts windows of messages for itself
  for (const Class& row : kClasses) {
    if (!row.resent) continue;
    SCOPED_TRACE(to_string(row.error));
    FaultyPipe p(true);
    p.add(p.a, error_rule(row.error, 2));
    EXPECT_EQ(p.pinged(tcp(1)), 0);
    EXPECT_EQ(p.stats().resend_count, 1U);
    EXPECT_EQ(p.stats().successful_resends, 1U);
    EXPECT_EQ(p.stats().failed_resends, 0U);
  }
}

/// GETs that are delayed for longer than messages may take hold all credits. One more GET waits.
void fill_credits_with_delayed_pings(bool rails) {
  FaultyPipe p(rails);
  p.a.config->globals.retry_count = 0;
  p.a.config->globals.transaction_timeout = 10;
  for (NiConfig& ni : p.a.config->nis) ni.lnd_timeout = Duration::zero();
  p.configure(p.a);
  p.add(p.a, delay_rule(13));
  const std::vector<Nid> sources = FaultyPipe::nids(1, rails);
  for (const Nid& source : sources)
    for (int i = 0; i < 8; ++i) p.ping(source, seconds(60));
  p.tick(seconds(1));
  p.ping(sources[0], seconds(60));
  EXPECT_TRUE(p.a.dones.empty());
  p.tick(seconds(13));
  EXPECT_EQ(p.a.dones.size(), 8 * sources.size() + 1);
  std::uint64_t dropped = 0;
  for (const PeerShow& peer : p.show(p.a).peers)
    for (const PeerNiShow& ni : peer.nis) dropped += ni.traffic.dropped.get;
  EXPECT_EQ(dropped, 1U) << "the one that waited for a credit past its deadline";
  EXPECT_EQ(p.dropped(p.a, DropReason::kQueuedTooLong), 1U);
  p.expect_idle();
}

TEST(FaultHealth, AMessageThatWaitsForADelayedOneIsDropped) {  // spec/upstream-tests.md 253, 254
  fill_credits_with_delayed_pings(false);
  fill_credits_with_delayed_pings(true);
}

}  // namespace
}  // namespace ulnet::core::test
