// Shows the checker wrong counts of messages between nodes.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/tcp_talk.h"
#include "sim/foreign/raw_peer.h"

namespace ulnet::sim {
namespace {

std::unique_ptr<Checker> without_tcp() { return both_ends_agree_checker(); }

struct EndsChecker : Lies<without_tcp> {
  EndsChecker() {
    attach({7}, kOpPut);
    put_to_a({7}, 100);
    EXPECT_TRUE(world.run_until_quiet({.time = hours(1)}).reached());
  }
  core::Traffic& traffic() { return state.nis.find(tcp(1))->traffic; }
};

TEST_F(EndsChecker, IsSilentAboutASoundWorld) {
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

TEST_F(EndsChecker, SeesAMessageThatIsNotCounted) {
  --traffic().received.put;
  checker.at_rest(world);
  EXPECT_THAT(said(), HasSubstr("messages are counted as sent"));
}

TEST_F(EndsChecker, SeesAMessageOfAnotherType) {
  --traffic().received.put;
  ++traffic().received.get;
  checker.at_rest(world);
  EXPECT_THAT(said(), HasSubstr("not as the same types"));
}

TEST_F(EndsChecker, AllowsDrainedNis) {
  --traffic().received.put;
  step(core::Tick{}, {core::Drained{ni}});
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

/// Nodes that have exchanged messages over TCP.
struct TcpEndsChecker : TcpWorld {
  TcpEndsChecker() {
    put(100);
    EXPECT_TRUE(world.run_until_quiet({.time = hours(1)}).reached());
  }
  /// Node b refuses a PUT.
  void refuses() {
    wire::LnetHeader put;
    put.part.emplace<wire::PutPart>();
    const core::Input input =
        core::HeaderArrived{own.config.id, {tcp(1), Pid::lustre()}, &put, {}, {}};
    const core::Actions actions{core::Reject{own.config.id, {}, "test"}};
    checker.after_step(world, {b, 0, world.now(), input, actions, *b.shard_state()});
    ++own.traffic.sent.put;  // one of the two nodes counts the PUT as sent
  }

  TcpTalk& talk = world.add<TcpTalk>();
  Checker& checker = world.add_checker(both_ends_agree_checker(&talk));
  core::LocalNi& own = *const_cast<core::ShardState&>(*b.shard_state()).nis.find(tcp(2));
};

TEST_F(TcpEndsChecker, AllowsLossesBehindARefusedMessage) {
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
  refuses();
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
  --own.traffic.received.put;
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

TEST_F(TcpEndsChecker, SeesMoreMessagesThanWereSentThoughOneWasRefused) {
  refuses();
  ++own.traffic.received.put;
  checker.at_rest(world);
  EXPECT_THAT(said(), HasSubstr("messages are counted as sent"));
}

TEST_F(TcpEndsChecker, AllowsLossesBehindAnUnfinishedMessage) {
  const core::Input input = core::PayloadLanded{{}, -ECONNRESET};
  checker.after_step(world, {b, 0, world.now(), input, {}, *b.shard_state()});
  --own.traffic.received.put;
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

/// b already has the most connections with a that b accepts. b has dialled one more, and closes
/// that one when it gets a's hello (spec/wire-socklnd.md 9).
TEST_F(TcpEndsChecker, AllowsReadsBehindAHelloThatIsNotKept) {
  const Address here = wire_address(tcp(1)), there = wire_address(tcp(2));
  const StreamEnd from_b{99, true, b.number(), there, here},
      at_a{99, false, a.number(), here, there};
  const auto says = [&](const StreamEnd& end, std::vector<std::byte> what) {
    const iovec all{what.data(), what.size()};
    talk.on_written(world, end, &all, what.size());
  };
  wire::Hello hello;
  hello.src_nid = tcp(2);
  says(from_b, words(wire::AcceptorRequest::to(tcp(1))));
  says(from_b, words(hello));
  hello.src_nid = tcp(1);
  says(at_a, words(hello));
  wire::LnetHeader put;
  put.src_nid = tcp(1);
  put.dest_nid = tcp(2);
  put.part.emplace<wire::PutPart>();
  says(at_a, words(put, {}, 3, {}));
  --own.traffic.received.put;
  talk.on_over(world, from_b, true);
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

TEST_F(TcpEndsChecker, SeesALostMessageWhereNoneWasRefused) {
  --own.traffic.received.put;
  checker.at_rest(world);
  EXPECT_THAT(said(), HasSubstr("messages are counted as sent"));
}

struct WithoutDescriptors : TcpWorld {
  WithoutDescriptors() : TcpWorld(1'000'000) {}
};

/// A node without descriptors opens no stream: nothing but its driver shows that it uses TCP.
TEST_F(WithoutDescriptors, MessagesFailWithoutAnyStream) {
  Checker& checker = world.add_checker(both_ends_agree_checker());
  put(100);
  ASSERT_TRUE(world.run_until_quiet({.time = hours(1)}).reached());
  EXPECT_GT(sum(world.exercised().messages), 0U);
  EXPECT_EQ(sum(world.exercised().streams), 0U);
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
