#include "sim/foreign/raw_peer.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/nids_fixture.h"
#include "lnet/wire/ping_info.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::seconds;

struct RawPeerTest : testing::Test {
  void run() { ASSERT_TRUE(world.run_for(seconds(1)).reached()); }
  wire::LnetHeader put(std::uint32_t bytes) const {
    wire::LnetHeader made;
    made.src_nid = eve.nid();
    made.dest_nid = bob.nid();
    made.dest_pid = made.src_pid = Pid::lustre();
    made.payload_length = bytes;
    made.part.emplace<wire::PutPart>().portal = 5;
    return made;
  }
  wire::LnetHeader ping() const {
    wire::LnetHeader made = put(0);
    wire::GetPart& part = made.part.emplace<wire::GetPart>();
    part.match_bits = 0x8000000000000000ULL;
    part.sink_length = 4096;
    return made;
  }

  World world{1};
  SimNode& bob = world.add_node({.nis = {{.nid = tcp(2)}}, .driver = DriverKind::kSock});
  RawPeer eve{world, tcp(9)};
};

TEST_F(RawPeerTest, IsGreetedAndAnswered) {
  RawPeer::Talk& talk = eve.greet(bob.nid());
  eve.say(talk, words(ping()));
  run();
  ASSERT_TRUE(talk.hello.has_value());
  EXPECT_EQ(talk.hello->src_nid, bob.nid());
  ASSERT_EQ(talk.messages.size(), 1U);
  EXPECT_TRUE(talk.messages[0].whole);
  EXPECT_EQ(talk.messages[0].header.type(), wire::MsgType::kReply);
  EXPECT_EQ(talk.messages[0].payload.size(), wire::kPingInfoBytesMin + 16);  // 0@lo and one NI
}

TEST_F(RawPeerTest, HearsNothingWhileItDoesNotListen) {
  RawPeer::Talk& talk = eve.greet(bob.nid());
  eve.listen(talk, false);
  eve.say(talk, words(ping()));
  run();
  EXPECT_TRUE(talk.heard.empty());
  eve.listen(talk, true);
  run();
  EXPECT_EQ(talk.messages.size(), 1U);
}

TEST_F(RawPeerTest, SaysMoreThanAStreamTakesAtATime) {
  RawPeer::Talk& talk = eve.greet(bob.nid());
  for (int i = 0; i < 5; ++i)
    eve.say(talk, words(put(1 << 20), std::vector<std::byte>(1 << 20, std::byte{'e'})));
  run();
  EXPECT_TRUE(talk.unsent.empty());
  EXPECT_EQ(bob.drops()[static_cast<std::size_t>(core::DropReason::kNoMatch)], 5U);
}

TEST_F(RawPeerTest, IsHungUpOnAndKnowsWhenADialFails) {
  RawPeer::Talk& talk = eve.dial(bob.nid());
  eve.say(talk, std::vector<std::byte>(16, std::byte{'?'}));
  RawPeer::Talk& nobody = eve.dial(tcp(3));
  ASSERT_TRUE(world.run_for(seconds(10)).reached());
  EXPECT_TRUE(talk.ended);
  EXPECT_TRUE(nobody.ended);
  EXPECT_EQ(nobody.error, EHOSTUNREACH);
  EXPECT_EQ(world.streams().with_foreign(bob.number()), 1U);
  eve.forget_ended();
  EXPECT_TRUE(eve.talks().empty());
}

TEST_F(RawPeerTest, CanBeDialled) {
  ASSERT_TRUE(eve.open_listener());
  PingRequest request;
  request.target = {eve.nid(), Pid::lustre()};
  // eve accepts the connection but does not answer the ping.
  EXPECT_FALSE(bob.ping(request).has_value());
  ASSERT_FALSE(eve.talks().empty());
  EXPECT_EQ(eve.talks()[0]->hello->src_nid, bob.nid());
  ASSERT_EQ(eve.talks()[0]->messages.size(), 1U);
  EXPECT_EQ(eve.talks()[0]->messages[0].header.type(), wire::MsgType::kGet);
}

}  // namespace
}  // namespace ulnet::sim
