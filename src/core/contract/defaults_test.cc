// What the values of the contract say where nobody said anything: the defaults of the
// configuration are those of LNet, calls ask for the usual, all else is nothing. Source:
// spec/cli-lnetctl.md 11.1, 11.2, 4.6.
#include <gtest/gtest.h>

#include "core/contract/api.h"
#include "core/contract/config.h"
#include "core/contract/counters.h"
#include "core/contract/letter.h"

namespace ulnet::core::test {
namespace {

TEST(Defaults, OfTheGlobalSection) {  // spec/cli-lnetctl.md 11.1
  const Globals g;
  EXPECT_EQ(g.numa_range, 0);
  EXPECT_EQ(g.max_interfaces, 4096);
  EXPECT_EQ(g.discovery, 1);
  EXPECT_EQ(g.drop_asym_route, 0);
  EXPECT_EQ(g.retry_count, 2);
  EXPECT_EQ(g.transaction_timeout, 150);
  EXPECT_EQ(g.health_sensitivity, 100);
  EXPECT_EQ(g.recovery_interval, 1);
  EXPECT_EQ(g.router_sensitivity, 100);
  EXPECT_EQ(g.response_tracking, 3);
  EXPECT_EQ(g.recovery_limit, 0);
  EXPECT_EQ(g.max_recovery_ping_interval, 900);
  EXPECT_TRUE(g.local_nid_dist_zero);
  EXPECT_EQ(g.portal_rotor, PortalRotor::kHashRouted);
}

TEST(Defaults, OfANet) {  // spec/cli-lnetctl.md 11.2
  const NetTunables net;
  EXPECT_EQ(net.peer_timeout, 180);
  EXPECT_EQ(net.peer_credits, 8);
  EXPECT_EQ(net.peer_buffer_credits, 0);
  EXPECT_EQ(net.credits, 256);
}

TEST(Defaults, OfANodeAndItsNis) {
  const NodeConfig node;
  EXPECT_EQ(node.generation, 0U);
  EXPECT_EQ(node.interface_cookie, 0U);
  EXPECT_EQ(node.shards, 1U);
  const NiConfig ni;
  EXPECT_EQ(ni.lnd_timeout, Duration::zero());
  EXPECT_TRUE(ni.up);
  EXPECT_FALSE(ni.rdma_get);
}

TEST(Defaults, TheDriversTimeoutFollowsFromTheGlobalSection) {  // spec/multirail.md 6
  Globals g;
  EXPECT_EQ(lnd_timeout_seconds(g), 49);
  g.retry_count = 0;
  EXPECT_EQ(lnd_timeout_seconds(g), 149);
}

TEST(Defaults, OfCalls) {
  EXPECT_FALSE(call::MeAttach{}.claimed);
  EXPECT_EQ(call::ClaimPortal{}.user, 0U);
  EXPECT_EQ(call::Ping{}.ticket, 0U);
  EXPECT_EQ(call::GetId{}.index, 0U);
  EXPECT_FALSE(call::GetId{}.large_ok);
  EXPECT_FALSE(call::IsPeerLocal{}.local || call::HasLocalNet{}.present ||
               call::PeerDiscoveryStatus{}.on)
      << "of a node that does not answer";
  EXPECT_EQ(call::DropRow{}.count, 0U);
  EXPECT_TRUE(call::Show{}.want_nis && call::Show{}.want_peers);
  EXPECT_TRUE(call::ResetMinima{}.nis && call::ResetMinima{}.peers);
  EXPECT_EQ(call::Fail{}.threshold, 0);
  EXPECT_EQ(call::SetNiHealth{}.value, 1000);
  EXPECT_EQ(call::SetPeerNiHealth{}.value, 1000);
  EXPECT_FALSE(call::PeerDel{}.decided);
  EXPECT_EQ(ApiCall{}.status, 0);
}

TEST(Defaults, OfInputsAndActions) {
  EXPECT_EQ(NiId{}.value, 0U);
  EXPECT_EQ(RxTicket{}.value, 0U);
  EXPECT_EQ(Region{}.count + Region{}.offset + Region{}.length, 0U);
  EXPECT_EQ(PayloadLanded{}.status, 0);
  EXPECT_EQ(ReplyLanded{}.status, 0);
  EXPECT_EQ(ReplyLanded{}.mlength, 0U);
  EXPECT_EQ(SendDone{}.status, 0);
  EXPECT_FALSE(PeerDown{}.reset);
  EXPECT_EQ(Mail{}.from, 0U);
  EXPECT_EQ(Send{}.deadline, kNever);
  EXPECT_EQ(Land{}.rlen, 0U);
  EXPECT_FALSE(HoldPayload{}.soon);
  EXPECT_EQ(DropPayload{}.rlen, 0U);
  EXPECT_EQ(Done{}.ticket, 0U);
  EXPECT_EQ(Done{}.status, 0);
  EXPECT_EQ(Applied{}.generation, 0U);
  EXPECT_EQ(SendMail{}.to, 0U);
  EXPECT_EQ(Note{}.detail, 0U);
}

TEST(Defaults, OfLettersAboutMessages) {
  const letter::Transmit transmit;
  EXPECT_FALSE(transmit.internal || transmit.waits_answer);
  EXPECT_EQ(transmit.rlength, 0U);
  EXPECT_EQ(letter::Ended{}.status, 0);
  EXPECT_FALSE(letter::Ended{}.no_answer);
  EXPECT_EQ(letter::ReplyInPlace{}.status, 0);
  EXPECT_EQ(letter::Match{}.origin, 0U);
  EXPECT_FALSE(letter::Match{}.parked || letter::Match{}.me);
  const letter::Matched matched;
  EXPECT_EQ(matched.offset, 0U);
  EXPECT_EQ(matched.mlength, 0U);
  EXPECT_FALSE(matched.ack_disabled);
  EXPECT_EQ(letter::Park{}.origin, 0U);
  EXPECT_FALSE(letter::Searched{}.taken || letter::Searched{}.empty);
}

TEST(Defaults, OfLettersAboutBuffersAndPeers) {
  const letter::BufferPosted posted;
  EXPECT_EQ(posted.options, 0U);
  EXPECT_EQ(posted.threshold, 0);
  EXPECT_EQ(posted.length, 0U);
  EXPECT_EQ(posted.offset, 0U);
  EXPECT_EQ(posted.max_size, 0U);
  EXPECT_EQ(posted.refusals, 0U);
  EXPECT_EQ(letter::NoneWaits{}.refusals, 0U);
  EXPECT_EQ(letter::ResponseArrived{}.origin, 0U);
  EXPECT_FALSE(letter::NiHealth{}.down);
  EXPECT_EQ(letter::Publish{}.state, 0U);
}

TEST(Defaults, NothingIsMeasuredBeforeTheFirstSample) {  // spec/cli-lnetctl.md 12.2
  Latency latency;
  for (const LatencySamples& none : {latency.shown(), LatencySamples{}}) {
    EXPECT_EQ(none.samples, 0U);
    EXPECT_EQ(none.min_nsec, 0U);
    EXPECT_EQ(none.max_nsec, 0U);
    EXPECT_EQ(none.avg_nsec, 0U);
  }
  latency.add(Duration(-5));  // a clock that went back
  latency.add(Duration(10));
  latency.add(Duration(30));
  const LatencySamples three = latency.shown();
  EXPECT_EQ(three.samples, 3U);
  EXPECT_EQ(three.min_nsec, 0U);
  EXPECT_EQ(three.max_nsec, 30U);
  EXPECT_EQ(three.avg_nsec, 13U);
}

}  // namespace
}  // namespace ulnet::core::test
