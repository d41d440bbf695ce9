// Shows the checkers false states of what two nodes keep of each other, wrong targets of messages,
// and too many pings and pushes to a peer.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

using ::testing::StartsWith;

struct AgreeChecker : Lies<peers_agree_checker> {
  /// a and b discover each other.
  void meet() {
    core::ApiCall call{core::call::Discover{.nid = b.nid(), .force = false, .ticket = 1}};
    a.call(call);
    ASSERT_TRUE(world.run_until_quiet().reached());
    checker.at_rest(world);
    ASSERT_EQ(said(), "");
  }
  /// b reports the new NIs to a, one after the other.
  void add_two_nis_to_b() {
    NiSetup more = b.setup().nis[0];
    for (const std::uint8_t host : {5, 6}) {
      more.nid = tcp(host);
      ASSERT_TRUE(b.add_ni(more));
      ASSERT_TRUE(world.run_until_quiet().reached());
    }
  }
  core::Peer& peer() { return *state.directory.find(tcp(2)); }
};

TEST_F(AgreeChecker, SeesThatAPushIsOwed) {
  meet();
  peer().acked_sequence = 0;
  checker.at_rest(world);
  EXPECT_EQ(said(), "a: owes this node a push of info 1, but info 0 is acknowledged");
}

TEST_F(AgreeChecker, SeesAnOldListOfNids) {
  meet();
  (void)state.directory.learn(peer(), {tcp(2), tcp(3)}, true);
  checker.at_rest(world);
  EXPECT_THAT(
      said(),
      StartsWith(
          "b: this node keeps NIDs 10.0.0.2@tcp 10.0.0.3@tcp, but it advertises 10.0.0.2@tcp"));
}

// spec/multirail.md 4.9
TEST_F(AgreeChecker, AllowsAnOldListWhenDiscoveryOnlyVerifies) {
  meet();
  (void)state.directory.learn(peer(), {tcp(2), tcp(3)}, true);
  auto verifies = std::make_shared<core::NodeConfig>(*state.config);
  verifies->globals.discovery = core::kDiscoveryVerifies;
  step(core::Config{verifies});
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

TEST_F(AgreeChecker, SeesAnOldInfo) {
  meet();
  peer().sequence = 2;
  checker.at_rest(world);
  EXPECT_EQ(said(), "b: this node keeps info 2, but has acknowledged info 1");
}

// spec/multirail.md 2.2: b's second NID belongs to a configured peer at a, and b's push may go to
// that peer's entry.
TEST_F(AgreeChecker, AllowsAnOldInfoWhenAConfiguredPeerGotTheNew) {
  meet();
  state.directory.configure({.primary = tcp(5)});
  NiSetup more = b.setup().nis[0];
  more.nid = tcp(5);
  ASSERT_TRUE(b.add_ni(more));
  ASSERT_TRUE(world.run_until_quiet().reached());
  peer().sequence = 1;
  call(core::call::PeerAdd{tcp(5)});
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
  const Nid gone[] = {tcp(5)};
  (void)state.directory.remove(gone);
  peer().sequence = b.shard_state()->portal0.info.sequence;
  checker.at_rest(world);
  EXPECT_EQ(said(), "")
      << "the peer has not advertised it again since its configured peer was deleted";
}

TEST_F(AgreeChecker, SeesAPeerEntryThatIsWrongAboutMultiRail) {
  meet();
  peer().clear(core::kPeerMultiRail);
  checker.at_rest(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: its peer entry is wrong about multi-rail");
}

TEST_F(AgreeChecker, SeesThatAnEarlierIncarnationIsBelieved) {
  meet();
  const core::ShardMsg shard_msg = core::shard_msg::PeerRestarted{tcp(2)};
  step(core::FromShard{0, &shard_msg});
  EXPECT_EQ(said(), "10.0.0.2@tcp: the acknowledgement of another incarnation still counts");
}

TEST_F(AgreeChecker, SeesItWhereThePeerIsOfTheControlShardsOwnPartition) {
  meet();
  step(core::PeerDown{ni, {tcp(2), Pid::lustre()}, true});
  EXPECT_EQ(said(), "10.0.0.2@tcp: the acknowledgement of another incarnation still counts");
}

TEST_F(AgreeChecker, AllowsAnAcknowledgementOfAnEarlierIncarnation) {
  meet();
  b.crash(true);
  ASSERT_TRUE(world.run_until_quiet().reached());
  b.start();
  // All that b knows of a is a late push, from when a had another sequence number.
  core::Directory& directory = const_cast<core::ShardState&>(*b.shard_state()).directory;
  core::Peer& known = directory.meet(tcp(1));
  (void)directory.learn(known, {tcp(1)}, true);
  known.state = core::kPeerMultiRail | core::kPeerDiscovered | core::kPeerNidsUpToDate;
  known.sequence = 7;
  known.acked_sequence = b.shard_state()->portal0.info.sequence;
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
  core::ApiCall call{core::call::Discover{.nid = b.nid(), .force = true, .ticket = 2}};
  a.call(call);
  ASSERT_TRUE(world.run_until_quiet().reached());
  directory.find(tcp(1))->sequence = 7;
  checker.at_rest(world);
  EXPECT_EQ(said(), "a: this node keeps info 7, but has acknowledged info 1")
      << "this incarnation has acknowledged it";
}

TEST_F(AgreeChecker, AllowsLateInfosOfAnEarlierIncarnation) {
  add_two_nis_to_b();
  b.crash(true);
  ASSERT_TRUE(world.run_until_quiet().reached());
  b.start();
  meet();  // its sequence number is 1 again
  world.run_for(seconds(1));
  const auto learn_info = [&](std::uint32_t number, std::vector<Nid> nids) {
    peer().sequence = number;
    (void)state.directory.learn(peer(), std::move(nids), true);
    step(core::Tick{}, note(core::Note::About::kDiscovery, tcp(2)));
    checker.at_rest(world);
  };
  learn_info(2, {tcp(2), tcp(5)});
  EXPECT_EQ(said(), "") << "after what b has pushed";
  learn_info(3, {tcp(2), tcp(5), tcp(6)});
  EXPECT_EQ(said(), "");
  learn_info(4, {tcp(2), tcp(5), tcp(6)});
  EXPECT_THAT(said(), StartsWith("b: this node keeps info 4, but has acknowledged info"))
      << "no number of b's";
}

/// An NI of b was deleted and added again; the hello of the deleted NI arrives late (seed
/// 180706743).
TEST_F(AgreeChecker, AllowsAnOldInfoAfterALateHello) {  // wire-socklnd.md 8
  meet();
  add_two_nis_to_b();
  world.run_for(seconds(1));
  peer().acked_sequence = 0;
  step(core::PeerDown{ni, {tcp(2), Pid::lustre()}, true});
  peer().acked_sequence = state.portal0.info.sequence;
  const std::uint32_t number = b.shard_state()->portal0.info.sequence;
  const auto learn_info = [&](std::uint32_t older, std::vector<Nid> nids) {
    peer().sequence = number - older;
    (void)state.directory.learn(peer(), std::move(nids), true);
    step(core::Tick{}, note(core::Note::About::kDiscovery, tcp(2)));
    checker.at_rest(world);
  };
  learn_info(1, {tcp(2), tcp(5)});
  EXPECT_EQ(said(), "");
  learn_info(1, {tcp(2), tcp(7)});
  EXPECT_THAT(said(), StartsWith("b: this node keeps")) << "b has never advertised that";
}

// spec/multirail.md 4.4 rule 5: the node has no number to compare the info's number with.
TEST_F(AgreeChecker, AllowsAnOldInfoOfAForgottenPeer) {
  meet();
  add_two_nis_to_b();
  const std::uint32_t number = b.shard_state()->portal0.info.sequence;
  world.run_for(seconds(1));
  const auto learn_late = [&] {
    core::Peer& made = state.directory.meet(tcp(2));
    made.state |= core::kPeerMultiRail | core::kPeerDiscovered | core::kPeerNidsUpToDate;
    made.acked_sequence = state.portal0.info.sequence;
    made.sequence = number - 1;
    (void)state.directory.learn(made, {tcp(2), tcp(5)}, true);
    step(core::Tick{}, note(core::Note::About::kDiscovery, tcp(2)));
    checker.at_rest(world);
  };
  step(core::Tick{}, note(core::Note::About::kDiscovery, tcp(2)));
  const Nid both[] = {tcp(2), tcp(5), tcp(6)};
  (void)state.directory.remove(both);
  learn_late();
  EXPECT_EQ(said(), "");
}

// spec/multirail.md 4.4 rule 5: a node accepts an equal number, and each incarnation counts from 1.
TEST_F(AgreeChecker, AllowsLateNidsWithThePresentNumber) {
  NiSetup more = b.setup().nis[0];
  more.nid = tcp(5);
  ASSERT_TRUE(b.add_ni(more));
  b.crash(true);
  ASSERT_TRUE(world.run_until_quiet().reached());
  b.start();
  more.nid = tcp(6);
  ASSERT_TRUE(b.add_ni(more));
  ASSERT_TRUE(world.run_until_quiet().reached());
  meet();
  const auto learn_info = [&](const Nid& nid) {
    (void)state.directory.learn(peer(), {tcp(2), nid}, true);
    step(core::Tick{}, note(core::Note::About::kDiscovery, tcp(2)));
    checker.at_rest(world);
  };
  world.run_for(seconds(1));
  learn_info(tcp(5));
  EXPECT_EQ(said(), "") << "after what b has pushed";
  learn_info(tcp(7));
  EXPECT_THAT(said(), StartsWith("b: this node keeps NIDs 10.0.0.2@tcp 10.0.0.7@tcp, but"))
      << "no incarnation of b advertised it";
}

TEST_F(AgreeChecker, SeesThatANodeKeepsNidsThatNobodyAdvertised) {
  meet();
  peer().sequence = 5;
  checker.at_rest(world);
  EXPECT_EQ(said(), "b: this node keeps info 5, but has acknowledged info 1");
}

struct PeerEntryChecker : Lies<peer_entry_heeded_checker> {};

TEST_F(PeerEntryChecker, SeesAMessageToANidThatItsPeerHasNot) {
  auto peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(2), tcp(3)}, true, 1});
  state.peers.set_peer_entry(state.peers.use(tcp(2)), peer_entry);
  core::ShardMsg shard_msg;
  auto& transmit = shard_msg.body.emplace<core::shard_msg::Transmit>();
  transmit.path.hop = {tcp(3), Pid::lustre()};
  PutRequest request = request_for(bind());
  request.portal = {5};
  transmit.md = request.md;
  call(core::call::Put{request}, {core::ToShard{1, &shard_msg}});
  EXPECT_EQ(said(), "");
  transmit.path.hop = {tcp(4), Pid::lustre()};
  call(core::call::Put{request}, {core::ToShard{1, &shard_msg}});
  EXPECT_EQ(said(), "a message for 10.0.0.2@tcp goes to 10.0.0.4@tcp, which is not its peer's");
}

TEST_F(PeerEntryChecker, AllowsOtherMessagesOfTheStep) {
  auto peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(2), tcp(3)}, true, 1});
  state.peers.set_peer_entry(state.peers.use(tcp(2)), peer_entry);
  core::ShardMsg push;
  push.body.emplace<core::shard_msg::Transmit>().path.hop = {tcp(4), Pid::lustre()};
  PutRequest request = request_for(bind());
  request.portal = {5};
  call(core::call::Put{request}, {core::ToShard{1, &push}});
  EXPECT_EQ(said(), "");
}

struct BoundChecker : Lies<discovery_bounded_checker> {
  /// The control shard begins a push to b.
  void push() { begin(core::Portal0Md::Kind::kPush); }
  /// The control shard begins a check of b, which is a gateway.
  Handle check() { return begin(core::Portal0Md::Kind::kRouterCheck); }
  void ends(Handle check) {
    (void)a.md_unlink(state.portal0.mds.find(check)->md);
    state.portal0.mds.erase(check);
    step(core::Tick{});
  }

 private:
  Handle begin(core::Portal0Md::Kind kind) {
    auto [self, record] = state.portal0.mds.make();
    record->self = self;
    record->kind = kind;
    record->peer = state.directory.meet(tcp(2)).self;
    record->gateway = tcp(2);
    record->md = bind();
    core::Md& md = *state.memory.find(record->md);
    md.owner = core::MdOwner::kShard;
    md.user_ptr = record;
    core::ShardMsg shard_msg;
    auto& transmit = shard_msg.body.emplace<core::shard_msg::Transmit>();
    transmit.internal = true;
    transmit.md = record->md;
    step(core::Tick{}, {core::ToShard{1, &shard_msg}});
    return self;
  }
};

TEST_F(BoundChecker, SeesAPeerThatIsPushedToForever) {
  for (std::uint32_t i = 0; i < kDiscoveryMax; ++i) push();
  EXPECT_EQ(said(), "");
  push();
  EXPECT_EQ(said(), "10.0.0.2@tcp: pinged and pushed to again and again, with no change");
}

TEST_F(BoundChecker, AllowsARestartOfThePeer) {
  // The control shard learns of the restart from its own driver, or from another partition.
  const core::ShardMsg shard_msg = core::shard_msg::PeerRestarted{tcp(2)};
  for (const core::Input& heard : {core::Input(core::PeerDown{ni, {tcp(2), Pid::lustre()}, true}),
                                   core::Input(core::FromShard{1, &shard_msg})}) {
    for (std::uint32_t i = 0; i < kDiscoveryMax; ++i) push();
    step(heard);
  }
  for (std::uint32_t i = 0; i < kDiscoveryMax; ++i) push();
  EXPECT_EQ(said(), "");
}

TEST_F(BoundChecker, SeesAPeerThatIsPushedToForeverThoughItsConnectionsBreak) {
  for (std::uint32_t i = 0; i <= kDiscoveryMax; ++i) {
    step(core::PeerDown{ni, {tcp(2), Pid::lustre()}, false});
    push();
  }
  EXPECT_EQ(said(), "10.0.0.2@tcp: pinged and pushed to again and again, with no change");
}

/// Several checks were under way when the gateway restarted, and it answers them all.
TEST_F(BoundChecker, AllowsAPushForEachAnsweredGatewayCheck) {
  std::vector<Handle> checks;
  for (std::uint32_t i = 0; i < 2 * kDiscoveryMax; ++i) checks.push_back(check());
  for (const Handle each : checks) {
    ends(each);
    push();
  }
  EXPECT_EQ(said(), "");
}

TEST_F(BoundChecker, SeesAGatewayThatIsPushedToForeverThoughItsChecksAreNotAnswered) {
  for (std::uint32_t i = 0; i <= kDiscoveryMax; ++i) {
    check();
    push();
  }
  EXPECT_EQ(said(), "10.0.0.2@tcp: pinged and pushed to again and again, with no change");
}

TEST_F(BoundChecker, AllowsFailedPingsOfAPeerThatIsHeard) {
  state.directory.meet(tcp(2)).error = -ETIMEDOUT;
  for (std::uint32_t i = 0; i < 3 * kDiscoveryMax; ++i) push();
  EXPECT_EQ(said(), "");
}

TEST_F(BoundChecker, AllowsAnNiThatGoesUpAndDownInOneStep) {
  for (std::uint32_t i = 0; i < 3 * kDiscoveryMax; ++i) {
    step(core::Tick{}, {core::Note{core::Note::Level::kUnlogged, core::Note::About::kNi,
                                   "its health is full again", tcp(1)}});
    push();
  }
  EXPECT_EQ(said(), "");
}

TEST_F(BoundChecker, DoesNotMindWhenThePeerReportsSomethingNew) {
  for (std::uint32_t i = 0; i < 3 * kDiscoveryMax; ++i) {
    state.directory.meet(tcp(2)).sequence = i / kDiscoveryMax;
    push();
  }
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
