// The health of a peer NI in the shards that choose among the NIDs of a peer. Source:
// spec/multirail.md 5.1, 5.2, 5.3.
#include "lnet/core/flow/peer_health.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::Each;

/// b is a peer with two NIDs, and each shard of a has used the first NID.
struct TwoNids : Pipe {
  explicit TwoNids(const std::vector<Nid>& nids = {tcp(2), tcp(3)}) : Pipe({tcp(1)}, nids, 4) {
    push_to_a(*this, encode(info_with(nids)), tcp(2));
    for (a.caller = 0; a.caller < 4; ++a.caller) put(a, bind(a, memory, &events), tcp(2));
    a.caller = other();
    a.shard_msgs_sent = 0;
  }
  std::uint32_t owner() const { return a.placement.of(tcp(2)); }
  std::uint32_t other() const { return (owner() + 1) % 4; }
  std::vector<std::int32_t> health() const {
    std::vector<std::int32_t> seen;
    for (const auto& shard : a.shards) seen.push_back(shard->observe().peers.find(tcp(2))->health);
    return seen;
  }
  /// A PUT from another shard than the owner shard fails because of the peer, and is not sent
  /// again.
  void fail_one() {
    a.config->globals.retry_count = 0;
    configure(a);
    a.hold_sends = true;
    put_there(a, bind(a, memory, &events), tcp(2));
    a.shard_msgs_sent = 0;
    finish_send(a, a.sends.at(0), -EIO, Health::kRemoteDropped);
  }

  std::vector<std::byte> memory = bytes(8);
  Recorder events;
};

TEST(PeerHealth, AChangeIsReportedToAllShards) {
  TwoNids p;
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  EXPECT_THAT(p.health(), Each(300));
  EXPECT_EQ(p.a.shard_msgs_sent, 3U);
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  EXPECT_EQ(p.a.shard_msgs_sent, 3U) << "it has not changed";
}

TEST(PeerHealth, AFailureIsReportedOnce) {
  TwoNids p;
  p.fail_one();
  EXPECT_THAT(p.health(), Each(900));
  EXPECT_EQ(p.a.shard_msgs_sent, 4U) << "Returned, and the health to three shards";
}

TEST(PeerHealth, TheSenderSeesItWhenItsMessageEnds) {
  TwoNids p;
  p.a.hold_shard_msgs = true;
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  p.a.shard_msgs.clear();  // as if the sender had learned the NID only now
  p.a.hold_shard_msgs = false;
  EXPECT_EQ(p.health()[p.other()], 1000);
  p.put_there(p.a, p.bind(p.a, p.memory, &p.events), tcp(2));
  EXPECT_EQ(p.health()[p.other()], 300);
}

TEST(PeerHealth, HealthOfAPeerWithOneNidIsNotReported) {
  TwoNids p({tcp(2)});
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  EXPECT_EQ(p.a.shard_msgs_sent, 0U);
  // Then the peer gets another NID.
  push_to_a(p, encode(info_with({tcp(2), tcp(3)})), tcp(2));
  EXPECT_THAT(p.health(), Each(400)) << "300, and 100 for the push that came";
}

}  // namespace
}  // namespace ulnet::core::test
