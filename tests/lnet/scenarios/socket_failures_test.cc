// DESIGN.md 2, spec/multirail.md 5.2: which health each socket failure affects, one story per
// failure, with the real TCP driver on virtual streams.
#include "story.h"

namespace ulnet::sim {
namespace {

using core::Health;

Given short_driver_time() {
  Given given;
  given.driver = DriverKind::kSock;
  given.globals.transaction_timeout = 31;  // makes the driver's time-out 10 s
  return given;
}

/// How alice's driver ended its first failed Send.
Ending failure(const Story& story) {
  for (const Ending& ending : story.endings(story.alice))
    if (ending.status != 0) return ending;
  return {};
}

struct SocketStory : ::testing::Test {
  /// Opens connections between the two.
  static void acquaint(Story& given) {
    given.bob.posts({.bits = {1}});
    given.alice.puts({.to = given.bob.id(), .bits = {1}});
    given.runs_for(seconds(5));
    ASSERT_EQ(failure(given), Ending{});
  }
};

TEST_F(SocketStory, AnInterfaceThatIsDownIsLocalError) {  // spec/multirail.md 5.2
  Story given(short_driver_time());
  given.world.wire().set_up(given.alice.node.place(), false);
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-ENETDOWN, Health::kLocalError}));
}

TEST_F(SocketStory, AMissingRouteIsLocalNoRoute) {  // spec/multirail.md 5.2
  Story given(short_driver_time());
  given.world.wire().set_route(given.alice.node.place(), given.bob.node.place(), false);
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-ENETUNREACH, Health::kLocalNoRoute}));
}

TEST_F(SocketStory, ARefusalIsRemoteDropped) {  // spec/multirail.md 5.2
  Story given(short_driver_time());
  given.bob.node.crash();
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-ECONNREFUSED, Health::kRemoteDropped}));
}

TEST_F(SocketStory, AnAbsentHostIsRemoteDropped) {
  Story given(short_driver_time());
  given.bob.node.crash(true);
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(failure(given).health, Health::kRemoteDropped);
}

// docs/spec/observed.md 1.8
TEST_F(SocketStory, AConnectTimeoutIsNetworkTimeout) {  // spec/multirail.md 5.2
  Story given(short_driver_time());
  given.cut(given.alice, given.bob);
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-ETIMEDOUT, Health::kNetworkTimeout}));
}

TEST_F(SocketStory, ACancelBeforeTheFirstByteIsALocalError) {
  Story given(short_driver_time());
  given.cut(given.alice, given.bob);
  Lent& put = given.alice.puts({.to = given.bob.id()});
  given.runs_for(seconds(1));
  EXPECT_EQ(given.alice.unlinks(put), 0);
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-ECANCELED, Health::kLocalDropped}));
}

TEST_F(SocketStory, APingEndsByItsDeadlineThoughItsConnectionIsStillBeingMade) {
  Story given(short_driver_time());
  given.cut(given.alice, given.bob);
  const auto pong =
      given.alice.node.ping({.target = given.bob.id(), .source = {}, .timeout = seconds(1)});
  EXPECT_EQ(Person::errno_of(pong), -ETIMEDOUT);
  EXPECT_LT(given.world.age(), seconds(2));
  given.comes_to_rest();
}

TEST_F(SocketStory, AResetBeforeTheFirstByteIsARemoteError) {  // spec/multirail.md 5.2
  Story given(short_driver_time());
  given.world.wire().set_model({.delay = milliseconds(100)});
  given.alice.puts({.to = given.bob.id()});
  std::vector<Handle> sockets;
  const auto connected = [&](World& world) {
    world.streams().between(given.alice.node.place(), given.bob.node.place(), sockets);
    return !sockets.empty();
  };
  ASSERT_TRUE(given.world.run_until(connected).reached());
  given.world.streams().reset(sockets.front());
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-ECONNRESET, Health::kRemoteDropped}));
}

TEST_F(SocketStory, AWrongPeerIsRemoteError) {
  Story given(short_driver_time());
  given.alice.puts({.to = {given.bob.node.nid(), Pid{77}}});
  given.comes_to_rest();
  EXPECT_EQ(failure(given), (Ending{-EPROTO, Health::kRemoteError}));
}

TEST_F(SocketStory, AStalledWriteIsANetworkError) {  // spec/multirail.md 5.2
  Story given(short_driver_time());
  acquaint(given);
  given.cut(given.alice, given.bob);
  given.cut(given.bob, given.alice);
  // More than the stream takes, so the last bytes are never written.
  for (int i = 0; i < 8; ++i) given.alice.puts({.to = given.bob.id(), .bytes = 100'000});
  given.runs_for(seconds(60));
  given.world.wire().heal();
  given.comes_to_rest();
  EXPECT_EQ(failure(given).health, Health::kNetworkTimeout);
}

TEST_F(SocketStory, AMissingZeroCopyAckIsARemoteError) {  // spec/multirail.md 5.2
  Given asking = short_driver_time();
  asking.alice_sock.zc_request = 1;
  asking.alice_sock.zc_min_payload = 2048;
  Story given(asking);
  acquaint(given);
  given.cut(given.bob, given.alice);
  given.alice.puts({.to = given.bob.id(), .bytes = 10'000});
  given.runs_for(seconds(60));
  given.world.wire().heal();
  given.comes_to_rest();
  EXPECT_EQ(failure(given).health, Health::kRemoteTimeout);
}

TEST_F(SocketStory, WithTheZeroCopyAckAllSucceeds) {
  Given asking = short_driver_time();
  asking.alice_sock.zc_request = asking.bob_sock.zc_request = 1;
  asking.alice_sock.zc_min_payload = asking.bob_sock.zc_min_payload = 2048;
  Story given(asking);
  acquaint(given);
  Lent& target = given.bob.posts({.bytes = 10'000});
  Lent& put = given.alice.puts({.to = given.bob.id(), .bytes = 10'000, .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_EQ(target.filled_with('p'), 10'000U);
  EXPECT_EQ(put.events.size(), 2U) << put.reported();
  const auto acks = static_cast<std::size_t>(lnd::sock::Count::kAcksReceived);
  EXPECT_EQ(given.alice.node.sock_counts()[acks], 1U);
}

}  // namespace
}  // namespace ulnet::sim
