// Sending again. spec/multirail.md 5.2, 5.3.
#include "lnet/core/flow/transmission.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;
using enum EventType;
using std::chrono::seconds;

constexpr NiId kOther{3};

/// a has two NIs of one net, and its driver holds all Sends.
struct TwoWays : Pipe {
  TwoWays() : Pipe({tcp(1), tcp(3)}, {tcp(2)}) { a.hold_sends = true; }
  void put(AckRequest ack = AckRequest::kNoAck) {
    Pipe::put(a, bind(a, bytes, &events, 2), tcp(2), ack);
  }
  /// The driver ends the newest Send of a.
  void ends(int status, Health health) {
    const Send send = a.sends.back();
    finish_send(a, send, status, health);
  }
  std::size_t tries() const { return a.sends.size(); }
  GlobalStats stats() { return show(a).statistics; }

  std::vector<std::byte> bytes = std::vector<std::byte>(64);
  Recorder events;
};

void expect_resends(const GlobalStats& stats, std::uint64_t again, std::uint64_t good,
                    std::uint64_t failed) {
  EXPECT_EQ(stats.resend_count, again);
  EXPECT_EQ(stats.successful_resends, good);
  EXPECT_EQ(stats.failed_resends, failed);
}

TEST(SendAgain, TakesTheOtherNiAndTheCallerSeesSuccess) {  // spec/multirail.md 5.3
  TwoWays p;
  p.put();
  ASSERT_EQ(p.tries(), 1U);
  const NiId first = p.a.sends[0].ni;
  const Instant deadline = p.a.sends[0].deadline;
  p.now += seconds(1);
  p.ends(-EIO, Health::kLocalDropped);
  ASSERT_EQ(p.tries(), 2U);
  EXPECT_TRUE(p.events.events.empty());
  const Send& again = p.a.sends[1];
  EXPECT_EQ(again.ni, first == kTcp ? kOther : kTcp) << "the failed one has less health";
  EXPECT_EQ(again.header.src_nid, again.ni == kTcp ? tcp(1) : tcp(3));
  EXPECT_EQ(again.deadline, deadline) << "it is that of the first try";
  EXPECT_EQ(again.payload.length, 64U);
  p.ends(0, Health::kOk);
  ASSERT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.events.events[0].status, 0);
  EXPECT_EQ(p.tries(), 2U);
  const GlobalStats stats = p.stats();
  expect_resends(stats, 1, 1, 0);
  EXPECT_EQ(stats.send_count, 1U);
  EXPECT_EQ(stats.errors, 0U);
  EXPECT_EQ(stats.local_dropped_count, 1U);
}

TEST(SendAgain, EndsWhenTheTriesAreUsedUp) {  // spec/multirail.md 5.3
  TwoWays p;
  p.put();
  for (int i = 0; i < 3; ++i) p.ends(-EIO, Health::kLocalNoRoute);
  EXPECT_EQ(p.tries(), 3U) << "retry_count is 2";
  ASSERT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.events.events[0].status, -EIO);
  const GlobalStats stats = p.stats();
  expect_resends(stats, 2, 0, 1);
  EXPECT_EQ(stats.errors, 1U);
  EXPECT_EQ(stats.local_no_route_count, 3U);
}

TEST(SendAgain, DependsOnTheError) {  // spec/multirail.md 5.2
  for (int i = static_cast<int>(Health::kLocalInterrupt);
       i <= static_cast<int>(Health::kNetworkTimeout); ++i) {
    const auto health = static_cast<Health>(i);
    TwoWays p;
    push_to_a(p, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));  // b has two NIDs
    p.a.sends.clear();
    p.put();
    p.ends(-EIO, health);
    const bool may = health != Health::kLocalError && health != Health::kRemoteError &&
                     health != Health::kRemoteTimeout && health != Health::kNetworkTimeout;
    EXPECT_EQ(p.tries(), may ? 2U : 1U) << to_string(health);
    EXPECT_EQ(p.events.events.size(), may ? 0U : 1U) << to_string(health);
  }
}

TEST(SendAgain, DoesNotHappenWithoutAnotherPath) {  // spec/multirail.md 5.2
  TwoWays remote;
  remote.put();
  remote.ends(-EIO, Health::kRemoteDropped);
  EXPECT_EQ(remote.tries(), 1U) << "the peer has one NID";
  expect_resends(remote.stats(), 0, 0, 0);

  Pipe one;
  Recorder events;
  std::vector<std::byte> bytes(8);
  one.a.hold_sends = true;
  one.put(one.a, one.bind(one.a, bytes, &events, 1), tcp(2));
  one.finish_send(one.a, one.a.sends.at(0), -EIO, Health::kLocalDropped);
  EXPECT_EQ(one.a.sends.size(), 1U) << "this node has one NI";
  EXPECT_THAT(events.types(), ElementsAre(kSend));
}

TEST(SendAgain, DoesNotHappenAfterTheDeadline) {  // spec/multirail.md 5.3
  TwoWays p;
  p.put();
  p.now = p.a.sends[0].deadline + Duration(1);
  p.ends(-EIO, Health::kLocalDropped);
  EXPECT_EQ(p.tries(), 1U);
  EXPECT_THAT(p.events.types(), ElementsAre(kSend));
}

TEST(SendAgain, HappensAtTheDeadline) {
  TwoWays p;
  p.put();
  p.now = p.a.sends[0].deadline;
  p.ends(-EIO, Health::kLocalDropped);
  EXPECT_EQ(p.tries(), 2U);
}

TEST(SendAgain, DoesNotHappenAfterALongDiscovery) {
  TwoWays p;
  p.a.hold_sends = false;
  p.call(p.a, call::Discover{tcp(2), true, 4});
  p.a.hold_sends = true;
  p.put();
  ASSERT_EQ(p.tries(), 1U);
  const Send first = p.a.sends.at(0);
  p.a.sends.clear();
  p.call(p.a, call::Discover{tcp(2), true, 5});
  const Send ping = p.a.sends.at(0);
  p.a.sends.clear();
  p.finish_send(p.a, ping, -ECONNREFUSED, Health::kRemoteDropped);
  ASSERT_TRUE(p.a.sends.empty());
  p.finish_send(p.a, first, -EIO, Health::kLocalDropped);
  ASSERT_EQ(p.a.sends.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<wire::GetPart>(p.a.sends[0].header.part)) << "the ping";
  EXPECT_TRUE(p.events.events.empty()) << "it waits";
  p.now = first.deadline + Duration(1);
  p.a.hold_sends = false;
  p.release_sends(p.a);
  ASSERT_THAT(p.events.types(), ElementsAre(kSend));
  EXPECT_EQ(p.events.events[0].status, -ETIMEDOUT);
}

TEST(SendAgain, DoesNotHappenWithRetryCount0) {  // spec/multirail.md 5.3
  TwoWays p;
  p.a.config->globals.retry_count = 0;
  p.configure(p.a);
  p.put();
  p.ends(-EIO, Health::kLocalDropped);
  EXPECT_EQ(p.tries(), 1U);
  expect_resends(p.stats(), 0, 0, 0);
}

TEST(SendAgain, DoesNotHappenForAnUnlinkedMd) {
  TwoWays p;
  const MdHandle md = p.bind(p.a, p.bytes, &p.events, 2);
  p.Pipe::put(p.a, md, tcp(2));
  EXPECT_EQ(p.unlink(p.a, md), 0);
  p.ends(-EIO, Health::kLocalDropped);
  EXPECT_EQ(p.tries(), 1U);
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_TRUE(p.events.events[0].unlinked);
}

TEST(SendAgain, DoesNotHappenOnceBegun) {
  TwoWays p;
  p.put();
  p.input(p.a, SendDone{p.a.sends[0].tx, -EIO, Health::kLocalAborted, true});
  EXPECT_EQ(p.tries(), 1U);
  EXPECT_THAT(p.events.types(), ElementsAre(kSend));
}

TEST(SendAgain, DoesNotHappenDuringShutdown) {
  TwoWays p;
  p.put();
  p.call(p.a, call::Shutdown{});
  p.ends(-ESHUTDOWN, Health::kLocalAborted);
  EXPECT_EQ(p.tries(), 1U);
}

/// A message that gets a credit in the step in which its NI is removed ends like the messages that
/// wait for one.
struct CreditOfRemovedNi : testing::Test {
  CreditOfRemovedNi() { p.a.hold_sends = true; }
  void credits(std::size_t ni, std::int32_t of_peer, std::int32_t of_ni) {
    p.a.config->nis[ni].tunables.peer_credits = of_peer;
    p.a.config->nis[ni].tunables.credits = of_ni;
    p.configure(p.a);
  }
  void expect_ended() {
    EXPECT_EQ(p.a.sends.size(), 1U);
    ASSERT_THAT(events.types(), ElementsAre(kSend));
    EXPECT_EQ(events.events[0].status, -ESHUTDOWN);
  }

  Pipe p{{tcp(1), tcp(3)}, {tcp(2)}};
  std::vector<std::byte> bytes = std::vector<std::byte>(64);
  Recorder events;
};

TEST_F(CreditOfRemovedNi, WhenThePeersHaveMoreCreditsWithoutIt) {
  credits(2, 1, 8);
  const MdHandle md = p.bind(p.a, bytes, &events);
  for (int i = 0; i < 2; ++i) p.put(p.a, md, tcp(2), AckRequest::kNoAck, 7, 5, 0, tcp(3));
  ASSERT_EQ(p.a.sends.size(), 1U) << "the other waits for a credit of the peer NI";
  p.a.config->nis.pop_back();
  p.configure(p.a);
  expect_ended();
}

TEST_F(CreditOfRemovedNi, WhenTheShutdownEndsAPing) {
  ONE_SHARD_ONLY();
  p.a.config->nis.pop_back();
  credits(1, 1, 1);
  Recorder other;
  p.put(p.a, p.bind(p.a, bytes, &other), tcp(2));
  p.call(p.a, call::Ping{{process(tcp(4)), {}}, 1});
  p.put(p.a, p.bind(p.a, bytes, &events), tcp(4));
  ASSERT_EQ(p.a.sends.size(), 1U) << "the ping waits for the NI, and the PUT for the ping";
  p.call(p.a, call::Shutdown{});
  expect_ended();
}

TEST(SendAgain, AGivenSourceIsKept) {  // spec/multirail.md 3.1
  TwoWays p;
  PutRequest request;
  request.md = p.bind(p.a, p.bytes, &p.events, 2);
  request.target = process(tcp(2));
  request.self = tcp(3);
  p.call(p.a, call::Put{request});
  p.ends(-EIO, Health::kLocalDropped);
  ASSERT_EQ(p.tries(), 2U);
  EXPECT_EQ(p.a.sends[1].ni, kOther);
  EXPECT_EQ(p.a.sends[1].header.src_nid, tcp(3));
}

TEST(SendAgain, AGetStillWaitsForItsReply) {
  TwoWays p;
  Recorder owner;
  std::vector<std::byte> answer(64, std::byte{9});
  p.attach(p.b, answer, &owner, {.options = kOpGet});
  p.get(p.a, p.bind(p.a, p.bytes, &p.events, 2), tcp(2));
  p.ends(-EIO, Health::kLocalDropped);
  ASSERT_EQ(p.tries(), 2U);
  p.a.sends.erase(p.a.sends.begin());
  p.a.hold_sends = false;
  p.release_sends(p.a);
  EXPECT_THAT(p.events.types(), ElementsAre(kSend, kReply));
  EXPECT_EQ(p.bytes, answer);
}

TEST(SendAgain, AnAckIsSentAgain) {
  TwoWays p;
  Recorder owner;
  p.attach(p.a, p.bytes, &owner);
  std::vector<std::byte> source(8);
  Recorder sender;
  p.Pipe::put(p.b, p.bind(p.b, source, &sender, 2), tcp(1), AckRequest::kAck);
  ASSERT_EQ(p.tries(), 1U);
  EXPECT_EQ(p.a.sends[0].header.type(), wire::MsgType::kAck);
  p.ends(-EIO, Health::kLocalDropped);
  ASSERT_EQ(p.tries(), 2U);
  EXPECT_EQ(p.a.sends[1].header.type(), wire::MsgType::kAck);
  EXPECT_EQ(p.a.sends[1].header.src_nid, tcp(1)) << "an answer leaves where the request came in";
}

/// The other NI has fewer credits left, so the failed one would be chosen again if its health did
/// not fall. spec/multirail.md 5.3: health is lowered first.
TEST(SendAgain, TheHealthOfTheFailedNiIsLoweredBeforeTheNextChoice) {
  TwoWays p;
  push_to_a(p, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));  // b has multi-rail
  p.a.sends.clear();
  for (int i = 0; i < 6; ++i) p.put();
  const auto nis = p.show(p.a).nis;
  const NiId richer = nis[1].stats.credits >= nis[2].stats.credits ? kTcp : kOther;
  const auto failed = std::find_if(p.a.sends.begin(), p.a.sends.end(),
                                   [&](const Send& send) { return send.ni == richer; });
  ASSERT_NE(failed, p.a.sends.end());
  p.finish_send(p.a, Send(*failed), -EIO, Health::kLocalDropped);
  ASSERT_EQ(p.tries(), 7U);
  EXPECT_NE(p.a.sends.back().ni, richer);
}

/// A message that is sent again waits behind those that wait already, and holds no credit.
TEST(SendAgain, JoinsTheTail) {
  ONE_SHARD_ONLY();
  TwoWays p;
  p.a.config->nis[1].tunables.peer_credits = 1;
  p.a.config->nis[2].tunables.peer_credits = 1;
  p.configure(p.a);
  p.put();
  p.put();
  ASSERT_EQ(p.tries(), 1U) << "one credit";
  const std::uint32_t first = p.a.sends[0].tx.slot;
  p.ends(-EIO, Health::kLocalDropped);
  ASSERT_EQ(p.tries(), 2U);
  EXPECT_NE(p.a.sends[1].tx.slot, first) << "the one that waited";
  p.ends(0, Health::kOk);
  ASSERT_EQ(p.tries(), 3U);
  EXPECT_EQ(p.a.sends[2].tx.slot, first);
  p.ends(0, Health::kOk);
  EXPECT_THAT(p.events.types(), ElementsAre(kSend, kSend));
  expect_resends(p.stats(), 1, 1, 0);
}

/// Partition 2 already has a configuration that partition 3, which transmits, does not have.
struct EarlyTransmit : Pipe {
  EarlyTransmit() : Pipe({tcp(1)}, {tcp(2)}, 4) {
    a.hold_sends = true;
    while (a.placement.of(tcp(host)) != 3) ++host;
    ++newer->generation;
  }
  MdHandle bind_at(std::uint32_t shard) {
    a.caller = shard;
    return bind(a, data, &events);
  }
  void put_from(std::uint32_t shard, MdHandle md) {
    a.caller = shard;
    ASSERT_EQ(put(a, md, tcp(host)), 0);
  }
  void partition_2_is_configured() {
    Actions ignored;
    a.shards[2]->step(now, Config{newer}, ignored);
  }
  void all_are_configured() {
    input(a, Config{newer});
    settle();
  }

  std::uint8_t host = 2;  ///< of a NID of partition 3
  std::vector<std::byte> data = bytes(8);
  Recorder events;
  std::shared_ptr<NodeConfig> newer = std::make_shared<NodeConfig>(*a.config);
};

TEST(EarlyTransmits, AnUnlinkDoesNotWaitForTheConfigurationOfAnothersMessage) {
  EarlyTransmit p;  // spec/core-semantics.md 4.6
  const MdHandle given_up = p.bind_at(1), other = p.bind_at(2);
  p.put_from(1, given_up);
  ASSERT_EQ(p.a.sends.size(), 1U);
  p.partition_2_is_configured();
  p.put_from(2, other);
  ASSERT_EQ(p.a.sends.size(), 1U) << "its path is by a configuration that partition 3 has not";
  EXPECT_EQ(p.unlink(p.a, given_up), 0);
  EXPECT_EQ(p.a.cancels.size(), 1U);
}

TEST(EarlyTransmits, AnUnlinkCancelsLocalMessagesAndThoseThatWaitForAConfiguration) {
  EarlyTransmit p;  // spec/core-semantics.md 4.6
  const MdHandle md = p.bind_at(2);
  p.put_from(2, md);
  p.partition_2_is_configured();
  p.put_from(2, md);
  EXPECT_EQ(p.unlink(p.a, md), 0);
  ASSERT_EQ(p.a.cancels.size(), 1U);
  p.finish_send(p.a, p.a.sends[0], -ECANCELED, Health::kLocalDropped);
  p.all_are_configured();
  ASSERT_EQ(p.a.sends.size(), 2U);
  ASSERT_EQ(p.a.cancels.size(), 2U);
  EXPECT_EQ(p.a.cancels[1].tx, p.a.sends[1].tx);
  p.finish_send(p.a, p.a.sends[1], -ECANCELED, Health::kLocalDropped);
  ASSERT_EQ(p.events.events.size(), 2U);
  EXPECT_TRUE(p.events.events[1].unlinked);
}

TEST(EarlyTransmits, ARecallDoesNotWaitForTheConfigurationOfAnothersMessage) {
  Routed p(4);  // spec/core-semantics.md 10.3
  std::vector<std::byte> data = bytes(8);
  p.r.hold_sends = true;
  p.puts(data, 1);
  ASSERT_EQ(p.r.sends.size(), 1U);
  const std::uint32_t shard = shard_of(p.r.sends[0].tx);
  ASSERT_NE(shard, p.r.placement.of(tcp(1))) << "it came in elsewhere";
  shard_msg::Transmit early;
  early.path.generation = p.r.config->generation + 100;
  const ShardMsg shard_msg{early};
  Actions ignored;
  p.r.shards[shard]->step(p.now, FromShard{(shard + 1) % 4, &shard_msg}, ignored);
  p.turn_off();
  EXPECT_EQ(p.r.cancels.size(), 1U);
}

}  // namespace
}  // namespace ulnet::core::test
