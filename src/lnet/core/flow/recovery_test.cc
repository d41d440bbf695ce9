// Unhealthy NIs are pinged until their health is full. spec/multirail.md 5.1, 5.2, 6, 7; the times
// and values are those of spec/observed.md 1.1, 1.4 to 1.7, 1.10, 1.12.
#include "lnet/core/flow/recovery.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/recovery_fixture.h"
#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RecoveryFlow, APeerNiWithoutCableIsPingedAsRecorded) {  // spec/multirail.md 5.2, 7
  TwoRails p;
  p.loses_its_cable();
  p.run_to(milliseconds(767'400));
  EXPECT_EQ(p.far2().health_value, 900);
  EXPECT_EQ(p.far2().next_ping, 1768);
  EXPECT_EQ(p.far2().ping_count, 0);
  EXPECT_EQ(p.near2().health_value, 900) << "a network time-out is held against both";
  EXPECT_THAT(p.queue(true), ElementsAre(kNear2));
  EXPECT_THAT(p.queue(false), ElementsAre(kFar2));
  struct {
    std::int64_t until;
    std::int32_t health, count;
    std::int64_t next;
  } const recorded[] = {{769, 900, 1, 1770}, {772, 800, 2, 1775}, {776, 700, 3, 1783}};
  for (const auto& row : recorded) {
    p.run_to(seconds(row.until));
    EXPECT_EQ(p.far2().health_value, row.health) << row.until;
    EXPECT_EQ(p.far2().ping_count, row.count) << row.until;
    EXPECT_EQ(p.far2().next_ping, row.next) << row.until;
  }
  p.run_to(seconds(779));
  p.cable = Cable::kIn;
  p.run_to(seconds(782));
  EXPECT_EQ(p.far2().health_value, 600);
  struct {
    std::int64_t until;
    std::int32_t health;
    std::int64_t next;
  } const then[] = {{784, 700, 1791}, {792, 800, 1793}, {794, 900, 1795}, {796, 1000, 1797}};
  for (const auto& row : then) {
    p.run_to(seconds(row.until));
    EXPECT_EQ(p.far2().health_value, row.health) << row.until;
    EXPECT_EQ(p.far2().ping_count, 0) << row.until;
    EXPECT_EQ(p.far2().next_ping, row.next) << row.until;
  }
  EXPECT_THAT(p.pings, ElementsAre(768, 771, 775, 783, 791, 793, 795));
  EXPECT_THAT(p.queue(false), IsEmpty());
  p.run_to(seconds(900));
  EXPECT_EQ(p.pings.size(), 7U) << "a well NI is not pinged";
  EXPECT_EQ(p.far2().next_ping, 1797) << "it keeps its last value";
  const GlobalStats statistics = p.show(p.a).statistics;
  EXPECT_EQ(statistics.network_timeout_count, 4U) << "the PUT and three pings";
  EXPECT_EQ(statistics.resend_count, 0U);
}

TEST(RecoveryFlow, ARailThatIsDeadBeforeThereIsAConnection) {  // observed.md 1.8
  TwoRails p;
  const std::uint64_t before = p.show(p.a).statistics.network_timeout_count;
  p.has_no_cable();
  EXPECT_THAT(p.ends(), ElementsAre(0));
  p.run_to(milliseconds(1'183'700));
  EXPECT_THAT(p.ends(), ElementsAre(0, -ETIMEDOUT));
  EXPECT_EQ(p.far2().health_value, 900);
  EXPECT_EQ(p.far2().ping_count, 0);
  EXPECT_EQ(p.far2().next_ping, 2184);
  EXPECT_THAT(p.queue(true), ElementsAre(kNear2));
  EXPECT_THAT(p.queue(false), ElementsAre(kFar2));
  p.ping(3);
  p.serve();
  EXPECT_THAT(p.ends(), ElementsAre(0, -ETIMEDOUT, 0)) << "the good rail at once";
  p.run_to(milliseconds(1'184'700));
  EXPECT_EQ(p.far2().ping_count, 1);
  EXPECT_EQ(p.far2().next_ping, 2186);
  EXPECT_EQ(p.near2().health_value, 1000) << "it has pinged itself";
  EXPECT_THAT(p.queue(true), IsEmpty());
  p.cable = Cable::kIn;
  p.run_to(seconds(1200));
  EXPECT_EQ(p.far2().health_value, 1000);
  EXPECT_EQ(p.far2().ping_count, 0);
  EXPECT_EQ(p.far2().next_ping, 2193);
  EXPECT_EQ(p.show(p.a).statistics.network_timeout_count - before, 2U);
  EXPECT_THAT(p.pings, ElementsAre(1184, 1187, 1191));
}

TEST(RecoveryFlow, TheLocalNiIsBackWithinASecond) {  // spec/multirail.md 7
  TwoRails p;
  p.call(p.a, call::SetNiHealth{kNear2, 600});
  EXPECT_EQ(p.near2().health_value, 600);
  p.run_to(milliseconds(1'100));
  EXPECT_EQ(p.near2().health_value, 1000) << "GET and REPLY, each sent and received on it";
  EXPECT_EQ(p.near2().next_ping, 1003);
  EXPECT_EQ(p.near2().ping_count, 0);
  EXPECT_THAT(p.queue(true), IsEmpty());
  EXPECT_THAT(p.pings, IsEmpty());
}

TEST(RecoveryFlow, AnNiWithHealth0IsDownUntilPingsSucceed) {  // spec/multirail.md 7
  TwoRails p;
  p.call(p.a, call::SetNiHealth{Nid::any(), 0});
  EXPECT_FALSE(p.near2().up);
  EXPECT_FALSE(p.show(p.a).nis.at(1).stats.up);
  p.run_to(milliseconds(1'100));
  EXPECT_GE(p.near2().health_value, 400) << "its ping, and the push that reports it to b";
  EXPECT_LT(p.near2().health_value, 1000);
  EXPECT_FALSE(p.near2().up);
  p.run_to(seconds(10));
  EXPECT_TRUE(p.near2().up);
  EXPECT_TRUE(p.show(p.a).nis.at(1).stats.up);
}

TEST(RecoveryFlow, AMessageInATcpConnectionIsWaitedFor) {  // spec/multirail.md 4.4.6, 7
  TwoRails p;
  p.set([](Globals& globals) { globals.transaction_timeout = 10; });
  p.run_to(milliseconds(877'300));
  p.cable = Cable::kSwallows;
  p.report_status(false);
  EXPECT_EQ(p.far2().health_value, 900) << "at once";
  EXPECT_THAT(p.queue(false), ElementsAre(kFar2));
  p.run_to(milliseconds(887'900));
  EXPECT_THAT(p.pings, ElementsAre(878)) << "though 880 has passed";
  EXPECT_EQ(p.far2().next_ping, 1880);
  p.run_to(milliseconds(888'500));
  EXPECT_EQ(p.show(p.a).statistics.response_timeout_count, 1U);
  EXPECT_EQ(p.far2().health_value, 800);
  EXPECT_THAT(p.pings, ElementsAre(878, 888)) << "the next one at once";
  p.cable = Cable::kIn;
  p.report_status(true);
  EXPECT_EQ(p.far2().health_value, 800) << "it recovers by pings alone";
  p.run_to(seconds(915));
  EXPECT_EQ(p.far2().health_value, 1000);
}

// A rail whose far end went down: the push comes over the other rail, and so overtakes earlier
// messages.
TEST(RecoveryFlow, LateMessagesDoNotRecoverADownPeerNi) {  // spec/multirail.md 4.4.6
  TwoRails p;
  p.report_status(false);
  for (int i = 0; i < 3; ++i) p.put_there(p.a, p.md, kFar2, AckRequest::kAck);
  p.cable = Cable::kIn;
  p.serve();
  EXPECT_EQ(p.events.types().back(), EventType::kAck) << "which came from that NI";
  EXPECT_EQ(p.far2().health_value, 900);
  EXPECT_THAT(p.queue(false), ElementsAre(kFar2));
  p.run_to(seconds(10));
  EXPECT_EQ(p.far2().health_value, 1000) << "it has answered a ping";
  EXPECT_EQ(p.pings.size(), 1U);
  EXPECT_THAT(p.queue(false), IsEmpty());
}

// The answers come from the router, and so do not raise the health of the peer NI by themselves.
TEST(RecoveryFlow, APeerNiBehindARouterRecoversByItsPings) {  // spec/multirail.md 7
  Routed p;
  const Nid behind = tcp(2, 1);
  const auto shown = [&] {
    for (const PeerShow& peer : p.show(p.a).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == behind) return ni;
    return PeerNiShow{};
  };
  for (const bool up : {false, true, false}) {
    const ShardMsg shard_msg{shard_msg::PeerNiReported{behind, up}};
    p.input(p.a, FromShard{kControlShard, &shard_msg});
    p.settle();
  }
  ASSERT_EQ(shown().health_value, 800);
  p.tick(milliseconds(1'100));
  EXPECT_EQ(shown().health_value, 900) << "it has answered, and has reported that it is up";
  EXPECT_EQ(shown().ping_count, 0);
  p.tick_for(seconds(4));
  EXPECT_EQ(shown().health_value, 1000) << "each ping after that raises it too";
  EXPECT_THAT(p.call(p.a, call::ShowRecovery{false}).nids, IsEmpty());
}

// The peer of the pinged NID has a NID on this net too. The ping takes the router all the same,
// because only the router reaches the pinged NID.
TEST(RecoveryFlow, APeerNiBehindARouterRecoversThoughItsPeerIsNear) {
  Routed p;
  const Nid behind = tcp(2, 1);
  push_to_a(p, encode(info_with({tcp(5), behind})), tcp(5));
  const auto health = [&] {
    for (const PeerShow& peer : p.show(p.a).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == behind) return ni.health_value;
    return -1;
  };
  const ShardMsg shard_msg{shard_msg::PeerNiReported{behind, false}};
  p.input(p.a, FromShard{kControlShard, &shard_msg});
  p.settle();
  ASSERT_EQ(health(), 900);
  p.tick_for(seconds(2));
  EXPECT_EQ(health(), 1000);
}

// The REPLY to the ping that was sent while the peer NI was down does not come, and the pauses have
// grown.
TEST(RecoveryFlow, APeerNiReportedUpAgainIsPingedWithinASecond) {  // spec/multirail.md 7
  TwoRails p;
  p.report_status(false);
  p.cable = Cable::kSwallows;
  p.run_to(seconds(30));
  ASSERT_EQ(p.far2().health_value, 900);
  p.cable = Cable::kIn;
  p.report_status(true);
  p.run_to(seconds(32));
  EXPECT_EQ(p.far2().health_value, 1000);
  EXPECT_THAT(p.queue(false), IsEmpty());
}

TEST(RecoveryFlow, TheSameStatusIsHeldAgainstThePeerNiOnce) {  // spec/multirail.md 4.4.6
  TwoRails p;
  p.report_status(true);
  EXPECT_EQ(p.far2().health_value, 1000);
  for (int i = 0; i < 3; ++i) p.report_status(false);
  EXPECT_EQ(p.far2().health_value, 900);
}

TEST(RecoveryFlow, APeerNiThatWasNeverHeardOfIsNotPinged) {  // spec/multirail.md 7
  TwoRails p;
  push_to_a(p, encode(info_with({kFar1, kFar2, tcp(9)})), kFar1);
  p.put_there(p.a, p.md, tcp(9));  // no node has this NID
  p.serve();
  p.call(p.a, call::SetPeerNiHealth{tcp(9), 500});
  p.run_to(seconds(5));
  EXPECT_THAT(p.queue(false), IsEmpty());
}

TEST(RecoveryFlow, ASilentPeerNiAgesOutAndComesBackWhenItIsHeard) {  // spec/multirail.md 7
  TwoRails p;
  p.set([](Globals& globals) {
    globals.recovery_limit = 20;
    globals.max_recovery_ping_interval = 4;
  });
  p.cable = Cable::kOut;
  p.call(p.a, call::SetPeerNiHealth{kFar2, 900});
  p.run_to(seconds(30));
  EXPECT_THAT(p.queue(false), IsEmpty());
  EXPECT_EQ(p.far2().ping_count, 0);
  const std::int32_t low = p.far2().health_value;
  EXPECT_LT(low, 900);
  const std::size_t sent = p.pings.size();
  p.put_there(p.a, p.md, kFar2);  // other failures lower it further, without restarting recovery
  p.serve();
  p.run_to(seconds(40));
  EXPECT_EQ(p.far2().health_value, low - 100);
  EXPECT_EQ(p.pings.size(), sent);
  p.cable = Cable::kIn;
  p.put_there(p.a, p.md, kFar2, AckRequest::kAck);
  p.serve();
  EXPECT_THAT(p.queue(false), ElementsAre(kFar2));
  p.run_to(seconds(70));
  EXPECT_EQ(p.far2().health_value, 1000);
}

TEST(RecoveryFlow, TheLimitIsNotForThisNodesOwnNis) {  // spec/multirail.md 7
  TwoRails p;
  p.set([](Globals& globals) { globals.recovery_limit = 1; });
  p.a.send_status = -EIO;
  p.a.send_health = Health::kLocalError;
  p.call(p.a, call::SetNiHealth{kNear2, 500});
  p.run_to(seconds(60));
  EXPECT_THAT(p.queue(true), ::testing::Contains(kNear2));
}

TEST(RecoveryFlow, ARecoveryPingIsNotSentAgain) {  // spec/multirail.md 5.2
  TwoRails p;
  p.call(p.a, call::SetPeerNiHealth{kFar2, 500});
  p.tick(milliseconds(1'100));
  ASSERT_EQ(p.a.sends.size(), 1U);
  const Send ping = p.a.sends[0];
  EXPECT_EQ(ping.hop.nid, kFar2);
  EXPECT_EQ(std::get<wire::GetPart>(ping.header.part).sink_length, 272U);
  EXPECT_EQ(std::get<wire::GetPart>(ping.header.part).portal, 0U);
  p.a.sends.clear();
  p.finish_send(p.a, ping, -ECONNREFUSED, Health::kRemoteDropped);
  EXPECT_THAT(p.a.sends, IsEmpty()) << "not over the other rail either";
  EXPECT_EQ(p.far2().health_value, 400);
  EXPECT_EQ(p.show(p.a).statistics.resend_count, 0U);
}

TEST(RecoveryFlow, DeletedNisAreNotPinged) {
  TwoRails p;
  p.call(p.a, call::SetPeerNiHealth{kFar2, 500});
  p.call(p.a, call::PeerDel{kFar1, {}});
  p.call(p.a, call::SetNiHealth{Nid::any(), 500});
  p.call(p.a, call::Shutdown{});
  p.run_to(seconds(30));
  EXPECT_THAT(p.pings, IsEmpty());
  EXPECT_THAT(p.queue(true), IsEmpty());
  EXPECT_THAT(p.queue(false), IsEmpty());
}

// ---- the table of observed.md 1.1

struct Row {
  Health health;
  bool resent;
  std::int32_t near, far;
  std::uint64_t GlobalStats::*counter;
};

class ErrorClasses : public ::testing::TestWithParam<Row> {};

TEST_P(ErrorClasses, TwoPingsToATwoRailPeer) {  // spec/multirail.md 5.2
  const Row& row = GetParam();
  TwoRails p;
  const GlobalStats before = p.show(p.a).statistics;
  for (const std::uint64_t ticket : {1, 2}) {
    p.ping(ticket);
    while (!p.a.sends.empty()) {
      const Send send = p.a.sends.front();
      if (send.hop.nid != kFar2) {
        p.release_sends(p.a);
        continue;
      }
      p.a.sends.erase(p.a.sends.begin());
      p.finish_send(p.a, send, -EIO, row.health);
    }
  }
  const std::vector<int> ends = p.ends();
  if (row.resent)
    EXPECT_THAT(ends, ElementsAre(0, 0));
  else
    EXPECT_THAT(ends, ::testing::UnorderedElementsAre(0, -EIO));
  EXPECT_EQ(p.near2().health_value, row.near);
  EXPECT_EQ(p.far2().health_value, row.far);
  EXPECT_EQ(p.show(p.a).nis.at(1).stats.health_value, 1000);
  const GlobalStats after = p.show(p.a).statistics;
  EXPECT_EQ(after.resend_count - before.resend_count, row.resent ? 1U : 0U);
  EXPECT_EQ(after.successful_resends - before.successful_resends, row.resent ? 1U : 0U);
  EXPECT_EQ(after.*row.counter - before.*row.counter, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    All, ErrorClasses,
    ::testing::Values(
        Row{Health::kLocalInterrupt, true, 900, 1000, &GlobalStats::local_interrupt_count},
        Row{Health::kLocalDropped, true, 900, 1000, &GlobalStats::local_dropped_count},
        Row{Health::kLocalAborted, true, 900, 1000, &GlobalStats::local_aborted_count},
        Row{Health::kLocalNoRoute, true, 900, 1000, &GlobalStats::local_no_route_count},
        Row{Health::kLocalTimeout, true, 900, 1000, &GlobalStats::local_timeout_count},
        Row{Health::kLocalError, false, 900, 1000, &GlobalStats::local_error_count},
        Row{Health::kRemoteDropped, true, 1000, 900, &GlobalStats::remote_dropped_count},
        Row{Health::kRemoteError, false, 1000, 900, &GlobalStats::remote_error_count},
        Row{Health::kRemoteTimeout, false, 1000, 900, &GlobalStats::remote_timeout_count},
        Row{Health::kNetworkTimeout, false, 900, 900, &GlobalStats::network_timeout_count}));

}  // namespace
}  // namespace ulnet::core::test
