// The health of an NI in a node with several partitions. src/sim/checkers/health_agrees.cc checks
// that the partitions agree. Source: spec/multirail.md 5.1, 5.2.
#include "lnet/core/flow/ni_health.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

struct FourShards : Pipe {
  FourShards() : Pipe({tcp(1)}, {tcp(2)}, 4) {}
};

/// The health of a's NI as each shard sees it.
std::vector<std::int32_t> health_of(const FourShards& p) {
  std::vector<std::int32_t> health;
  for (const auto& shard : p.a.shards) health.push_back(shard->observe().nis.find(kTcp)->health);
  return health;
}

TEST(NiHealth, AllSeeTheHealthThatTheControlShardSets) {  // spec/multirail.md 5.1
  FourShards p;
  p.call(p.a, call::SetNiHealth{tcp(1), 0});
  EXPECT_FALSE(p.show(p.a).nis.at(1).stats.up);
  for (const auto& shard : p.a.shards) EXPECT_FALSE(shard->observe().nis.find(kTcp)->up());
  p.a.shard_msgs_sent = 0;
  p.configure(p.a);
  EXPECT_EQ(p.a.shard_msgs_sent, 0U) << "it is reported once";
  p.call(p.a, call::SetNiHealth{tcp(1), 1000});
  EXPECT_TRUE(p.show(p.a).nis.at(1).stats.up);
  EXPECT_THAT(health_of(p), ::testing::Each(1000));
}

TEST(NiHealth, AFailureInOneLowersTheHealthInAll) {  // spec/multirail.md 5.1, 5.2
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint8_t host = 2; host < 10; ++host) {  // peers of all partitions
      FourShards p;
      p.a.caller = from;
      p.a.hold_sends = true;
      auto bytes_sent = bytes(8);
      Recorder r;
      p.put(p.a, p.bind(p.a, bytes_sent, &r, 1), tcp(host));
      p.finish_send(p.a, p.a.sends.at(0), -EIO, Health::kLocalDropped);
      EXPECT_THAT(health_of(p), ::testing::Each(900)) << from << " to " << +host;
      EXPECT_EQ(p.show(p.a).nis.at(1).stats.health_value, 900);
      EXPECT_EQ(p.show(p.a).statistics.local_dropped_count, 1U);
      p.put(p.a, p.bind(p.a, bytes_sent, &r, 1), tcp(host));
      p.finish_send(p.a, p.a.sends.at(1), 0);
      EXPECT_THAT(health_of(p), ::testing::Each(1000)) << from << " to " << +host;
    }
}

TEST(NiHealth, ShardMsgsOfAStartGrowWithShardsNotPairs) {
  const Pipe p({tcp(1)}, {tcp(2)}, 64);
  const std::size_t nis = 2, others = 63;
  EXPECT_EQ(p.a.shard_msgs_sent, nis * others * 3)
      << "reported, asked and answered, for each NI and shard";
}

TEST(NiHealth, AnUnchangedHealthIsAnsweredToItsSenderOnly) {
  FourShards p;
  p.call(p.a, call::SetNiHealth{tcp(1), 0});
  p.a.caller = 1;
  p.a.hold_sends = true;
  auto bytes_sent = bytes(8);
  Recorder r;
  Nid peer = tcp(2);  // in partition 1 too, so that the PUT needs no inter-shard message
  for (std::uint8_t host = 3; p.a.placement.of(peer) != 1; ++host) peer = tcp(host);
  p.put(p.a, p.bind(p.a, bytes_sent, &r, 1), peer);
  p.a.shard_msgs_sent = 0;
  p.finish_send(p.a, p.a.sends.at(0), -EIO, Health::kLocalDropped);
  EXPECT_EQ(p.a.shard_msgs_sent, 2U) << "NiOutcomes, NiHealth";
  EXPECT_THAT(health_of(p), ::testing::Each(0));
}

TEST(NiHealth, WithoutSensitivityNothingIsReported) {
  FourShards p;
  p.call(p.a, call::SetNiHealth{tcp(1), 500});
  p.a.config->globals.health_sensitivity = 0;
  p.configure(p.a);
  p.a.caller = p.a.placement.of(tcp(2));
  auto bytes_sent = bytes(8);
  Recorder r;
  p.put(p.a, p.bind(p.a, bytes_sent, &r, 1), tcp(2));
  p.a.shard_msgs_sent = 0;  // the first message to a peer reports that peer
  p.put(p.a, p.bind(p.a, bytes_sent, &r, 1), tcp(2));
  EXPECT_EQ(p.a.shard_msgs_sent, 0U);
  EXPECT_THAT(health_of(p), ::testing::Each(500));
}

TEST(NiHealth, AShardThatGetsTheNiLaterHasTheSameHealth) {
  FourShards p;
  p.a.config = config_of({tcp(1), tcp(1, 1)}, 0xa);
  p.a.config->shards = 4;
  p.a.config->generation = 9;
  p.configure(p.a);
  p.call(p.a, call::SetNiHealth{tcp(1, 1), 300});
  for (const auto& shard : p.a.shards) EXPECT_EQ(shard->observe().nis.find(kTcp1)->health, 300);
  EXPECT_EQ(p.show(p.a).nis.at(2).stats.health_value, 300);
}

}  // namespace
}  // namespace ulnet::core::test
