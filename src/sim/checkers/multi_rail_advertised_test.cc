// Shows the checker directory entries that differ from what peers have reported about multi-rail.
// spec/multirail.md 4.2, 4.4.
#include "lnet/core/path/ping_target.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/foreign/foreign_node.h"

namespace ulnet::sim {
namespace {

/// "a" is correct, and has discovered a node of other software, which has two NIDs.
struct AdvertisedChecker : ::testing::Test {
  void meet(const Behaviour& behaviour) {
    other = std::make_unique<ForeignNode>(world, std::vector{tcp(9), tcp(10)}, behaviour);
    ask();
  }
  void ask() {
    core::ApiCall call{core::call::Discover{.nid = tcp(9), .force = true, .ticket = 1}};
    a.call(call);
    ASSERT_TRUE(world.run_for(seconds(1)).reached()) << world.explain();
  }
  core::ShardState& state() { return const_cast<core::ShardState&>(*a.shard_state()); }
  core::Peer& peer() { return *state().directory.find(tcp(9)); }
  /// The step that reads the answer of the peer, which reports these features.
  void answers(std::uint32_t features, core::DropReason refused = core::DropReason::kCount) {
    auto [self, md] = state().portal0.mds.make();
    md->kind = core::Portal0Md::Kind::kPeerPing;
    wire::PingInfo info = other->info;
    info.features = features;
    md->bytes = core::encode(info);
    core::Actions actions;
    const core::Input input = core::Tick{};
    const ShardStep step{a, 0, world.now(), input, actions, state()};
    checker.before_step(world, step);
    state().portal0.mds.erase(self);
    if (refused != core::DropReason::kCount) state().counters.drop(refused);
    core::Note note;
    note.about = core::Note::About::kDiscovery;
    note.text = "ping answered, NIDs {}";
    note.nid = tcp(9);
    actions.emplace_back(note);
    checker.after_step(world, step);
  }
  std::string said() {
    if (!world.violation()) world.check_all();
    return world.violation() ? world.violation()->what : std::string();
  }

  World world{1};
  Checker& checker = world.add_checker(multi_rail_advertised_checker());
  SimNode& a = world.add_node({.nis = {{.nid = tcp(1)}}, .driver = DriverKind::kSock});
  std::unique_ptr<ForeignNode> other;
};

TEST_F(AdvertisedChecker, IsSilentAboutAPeerThatIsWhatItAdvertises) {
  meet(ForeignNode::uprev());
  EXPECT_TRUE(peer().has(core::kPeerMultiRail));
  EXPECT_EQ(peer().nids().size(), 2U);
  EXPECT_EQ(said(), "");
  other->info.features = ForeignNode::without_discovery().features;
  ask();
  EXPECT_EQ(said(), "");
  EXPECT_EQ(state().directory.find(tcp(10)), nullptr) << "it was deleted with all its NIDs";
}

TEST_F(AdvertisedChecker, SeesMultiRailThatAPeerNeverAdvertised) {
  meet(ForeignNode::downrev());
  EXPECT_EQ(said(), "");
  peer().set(core::kPeerMultiRail);
  EXPECT_EQ(said(), "10.0.0.9@tcp: has multi-rail, which it never advertised");
}

TEST_F(AdvertisedChecker, SeesNidsJoinedWithoutMultiRail) {
  meet(ForeignNode::without_discovery());
  EXPECT_EQ(said(), "");
  (void)state().directory.learn(peer(), {tcp(9), tcp(10)}, false);
  EXPECT_EQ(said(), "10.0.0.9@tcp: has NIDs, and no multi-rail");
}

TEST_F(AdvertisedChecker, SeesAPushToAPeerThatTakesNone) {
  meet(ForeignNode::downrev());
  peer().set(core::kPeerMultiRail);
  peer().clear(core::kPeerNoDiscovery);
  ASSERT_TRUE(a.add_ni({.nid = tcp(5)}));  // a pushes the new NI to all peers with multi-rail
  (void)world.run_for(seconds(1));
  EXPECT_EQ(said(), "10.0.0.9@tcp: is pushed to, and advertises no multi-rail");
}

TEST_F(AdvertisedChecker, AllowsConfiguredPeers) {
  meet(ForeignNode::downrev());
  peer().state |= core::kPeerMultiRail | core::kPeerConfigured;
  (void)state().directory.learn(peer(), {tcp(9), tcp(10)}, true);
  EXPECT_EQ(said(), "");
}

/// A newer info of the peer was pushed before the peer's answer arrived.
TEST_F(AdvertisedChecker, AllowsAnOvertakenAnswer) {
  meet(ForeignNode::uprev());
  answers(ForeignNode::downrev().features, core::DropReason::kInfoOld);
  EXPECT_EQ(said(), "");
}

// spec/multirail.md 4.9
TEST_F(AdvertisedChecker, AllowsPeersWhenDiscoveryOnlyVerifies) {
  meet(ForeignNode::uprev());
  core::Globals globals = a.setup().globals;
  globals.discovery = core::kDiscoveryVerifies;
  a.configure(globals);
  other->info.features = ForeignNode::without_discovery().features;
  ask();
  a.configure(core::Globals{});
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_TRUE(peer().has(core::kPeerMultiRail));
  EXPECT_EQ(said(), "");
}

TEST_F(AdvertisedChecker, SeesAPeerWithMoreFeaturesThanItAdvertises) {
  meet(ForeignNode::uprev());
  answers(ForeignNode::uprev().features);
  EXPECT_EQ(said(), "");
  answers(ForeignNode::downrev().features);
  EXPECT_EQ(said(),
            "10.0.0.9@tcp: advertises no multi-rail or no discovery, and is treated as one that "
            "has both");
}

TEST_F(AdvertisedChecker, SeesNidsKeptWithoutMultiRail) {
  meet(ForeignNode::uprev());
  peer().clear(core::kPeerMultiRail);
  answers(ForeignNode::without_discovery().features);
  EXPECT_EQ(said(),
            "10.0.0.9@tcp: advertises no multi-rail or no discovery, and keeps its other NIDs");
}

}  // namespace
}  // namespace ulnet::sim
