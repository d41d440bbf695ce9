// The defaults of the contract's values: those of the configuration are LNet's, those of calls are
// the usual ones, all others are empty or 0. Source: spec/cli-lnetctl.md 11.1, 11.2, 4.6.
#include <gtest/gtest.h>

#include "lnet/core/contract/api.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/counters.h"
#include "lnet/core/contract/shard_msg.h"

namespace ulnet::core::test {
namespace {

/// Makes a T as the core makes one. With T{} the compiler would put the values into this file.
template <class T>
T fresh() {
  T value;
  return value;
}

TEST(Defaults, GlobalsHaveTheirDefaults) {  // spec/cli-lnetctl.md 11.1
  const auto g = fresh<Globals>();
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

TEST(Defaults, ANet) {  // spec/cli-lnetctl.md 11.2
  const auto net = fresh<NetTunables>();
  EXPECT_EQ(net.peer_timeout, 180);
  EXPECT_EQ(net.peer_credits, 8);
  EXPECT_EQ(net.peer_buffer_credits, 0);
  EXPECT_EQ(net.credits, 256);
}

TEST(Defaults, NodesAndNisHaveTheirDefaults) {
  const auto node = fresh<NodeConfig>();
  EXPECT_EQ(node.generation, 0U);
  EXPECT_EQ(node.interface_cookie, 0U);
  EXPECT_EQ(node.shards, 1U);
  const auto ni = fresh<NiConfig>();
  EXPECT_EQ(ni.lnd_timeout, Duration::zero());
  EXPECT_TRUE(ni.up);
  EXPECT_FALSE(ni.rdma_get);
  EXPECT_EQ(ni.dev_cpt, -1);
}

TEST(Defaults, TheDriversTimeoutFollowsFromTheGlobalSection) {  // spec/multirail.md 6
  Globals g;
  EXPECT_EQ(lnd_timeout_seconds(g), 49);
  g.retry_count = 0;
  EXPECT_EQ(lnd_timeout_seconds(g), 149);
}

TEST(Defaults, CallsHaveTheirDefaults) {
  EXPECT_FALSE(fresh<call::MeAttach>().claimed);
  EXPECT_EQ(fresh<call::ClaimPortal>().user, 0U);
  EXPECT_EQ(fresh<call::Ping>().ticket, 0U);
  EXPECT_EQ(fresh<call::GetId>().index, 0U);
  EXPECT_FALSE(fresh<call::GetId>().large_ok);
  EXPECT_FALSE(fresh<call::IsPeerLocal>().local || fresh<call::HasLocalNet>().present ||
               fresh<call::PeerDiscoveryStatus>().on)
      << "as for a node that does not answer";
  EXPECT_EQ(fresh<call::DropRow>().count, 0U);
  EXPECT_TRUE(fresh<call::Show>().want_nis && fresh<call::Show>().want_peers);
  EXPECT_TRUE(fresh<call::ResetMinima>().nis && fresh<call::ResetMinima>().peers);
  EXPECT_EQ(fresh<call::Fail>().threshold, 0);
  EXPECT_EQ(fresh<call::SetNiHealth>().value, 1000);
  EXPECT_EQ(fresh<call::SetPeerNiHealth>().value, 1000);
  EXPECT_FALSE(fresh<call::PeerDel>().decided);
  EXPECT_EQ(fresh<ApiCall>().status, 0);
}

TEST(Defaults, InputsAndActionsHaveTheirDefaults) {
  EXPECT_EQ(fresh<NiId>().value, 0U);
  EXPECT_EQ(fresh<RxTicket>().value, 0U);
  EXPECT_EQ(fresh<Region>().count + fresh<Region>().offset + fresh<Region>().length, 0U);
  EXPECT_EQ(fresh<PayloadLanded>().status, 0);
  EXPECT_EQ(fresh<ReplyLanded>().status, 0);
  EXPECT_EQ(fresh<ReplyLanded>().mlength, 0U);
  EXPECT_EQ(fresh<SendDone>().status, 0);
  EXPECT_FALSE(fresh<SendDone>().begun);
  EXPECT_FALSE(fresh<PeerDown>().reset);
  EXPECT_EQ(fresh<FromShard>().from, 0U);
  EXPECT_EQ(fresh<Send>().deadline, kNever);
  EXPECT_EQ(fresh<Land>().rlen, 0U);
  EXPECT_EQ(fresh<HoldPayload>().how, Hold::kStage);
  EXPECT_EQ(fresh<DropPayload>().rlen, 0U);
  EXPECT_EQ(fresh<Done>().ticket, 0U);
  EXPECT_EQ(fresh<Done>().status, 0);
  EXPECT_EQ(fresh<Applied>().generation, 0U);
  EXPECT_EQ(fresh<ToShard>().to, 0U);
  EXPECT_EQ(fresh<Note>().detail, 0U);
}

TEST(Defaults, OfShardMsgsAboutMessages) {
  const auto transmit = fresh<shard_msg::Transmit>();
  EXPECT_FALSE(transmit.internal);
  EXPECT_EQ(transmit.memory_cpt, -1);
  EXPECT_EQ(transmit.rlength, 0U);
  EXPECT_EQ(transmit.deadline, kNever);
  EXPECT_EQ(transmit.path.generation, 0U);
  const auto returned = fresh<shard_msg::Returned>();
  EXPECT_TRUE(returned.taken);
  EXPECT_FALSE(returned.bound);
  EXPECT_EQ(returned.status, 0);
  EXPECT_EQ(returned.health, Health::kOk);
  EXPECT_EQ(returned.deadline, kNever);
  EXPECT_EQ(returned.generation, 0U);
  EXPECT_EQ(fresh<shard_msg::Ended>().status, 0);
  EXPECT_EQ(fresh<shard_msg::ReplyInPlace>().status, 0);
  EXPECT_EQ(fresh<shard_msg::Match>().origin, 0U);
  EXPECT_FALSE(fresh<shard_msg::Match>().parked || fresh<shard_msg::Match>().me);
  const auto matched = fresh<shard_msg::Matched>();
  EXPECT_EQ(matched.offset, 0U);
  EXPECT_EQ(matched.mlength, 0U);
  EXPECT_FALSE(matched.ack_disabled);
  EXPECT_EQ(fresh<shard_msg::Park>().origin, 0U);
  EXPECT_FALSE(fresh<shard_msg::Searched>().taken || fresh<shard_msg::Searched>().empty);
}

TEST(Defaults, OfShardMsgsAboutBuffersAndPeers) {
  const auto posted = fresh<shard_msg::BufferPosted>();
  EXPECT_EQ(posted.options, 0U);
  EXPECT_EQ(posted.threshold, 0);
  EXPECT_EQ(posted.length, 0U);
  EXPECT_EQ(posted.offset, 0U);
  EXPECT_EQ(posted.max_size, 0U);
  EXPECT_EQ(posted.refusals, 0U);
  EXPECT_EQ(fresh<shard_msg::NoneWaits>().refusals, 0U);
  EXPECT_EQ(fresh<shard_msg::ResponseArrived>().origin, 0U);
  EXPECT_EQ(fresh<shard_msg::NiOutcomes>().balance, 0);
  EXPECT_EQ(fresh<shard_msg::NiHealth>().health, kHealthMax);
  EXPECT_FALSE(fresh<shard_msg::NiHealth>().down);
}

TEST(Defaults, NothingIsMeasuredBeforeTheFirstSample) {  // spec/cli-lnetctl.md 12.2
  Latency latency;
  for (const LatencySamples& none : {latency.shown(), fresh<LatencySamples>()}) {
    EXPECT_EQ(none.samples, 0U);
    EXPECT_EQ(none.min_nsec, 0U);
    EXPECT_EQ(none.max_nsec, 0U);
    EXPECT_EQ(none.avg_nsec, 0U);
  }
  latency.add(Duration(-5));  // a clock that was set back
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
