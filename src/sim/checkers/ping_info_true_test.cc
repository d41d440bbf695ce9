// PingInfoTrue finds false ping infos of a node, and false NIDs that a node keeps of its peers.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct NoPing final : PingSink {
  void on_ping(std::uint64_t, int, const PingReply&) override {}
};

struct PingChecker : Lies<ping_info_true_checker> {
  void pings(SimNode& who, SimNode& whom) {
    PingRequest request;
    request.target = whom.id();
    ASSERT_TRUE(who.start_ping(request, ends).has_value());
    (void)world.run_for(seconds(1));
  }
  /// `who` pushes its ping info to `whom`.
  void introduces(SimNode& who, SimNode& whom) {
    std::vector<std::byte> info = core::encode(who.shard_state()->portal0.info);
    const iovec from{info.data(), info.size()};
    MdSpec spec;
    spec.fragments = {&from, 1};
    spec.sink = &sink;
    PutRequest request;
    request.md = who.md_bind(spec, UnlinkMode::kRetain).value();
    request.target = whom.id();
    request.portal = core::kReservedPortal;
    request.match_bits = {wire::kPingMatchBits};
    ASSERT_TRUE(who.put(request).has_value());
    (void)world.run_for(seconds(1));
  }
  std::string said_of_all() {
    checker.check_all(world);
    return said();
  }
  wire::PingInfo& info() { return state.portal0.info; }
  static core::Note notes(const char* text) {
    return {core::Note::Level::kUnlogged, core::Note::About::kNi, text, tcp(1)};
  }
  /// a's ping info has changed, and its ping target holds the new one.
  void renew() { state.portal0.mds.find(state.portal0.ping_target)->bytes = core::encode(info()); }
  void step_with_new_info() {
    renew();
    step(core::Tick{});
  }

  /// a begins a push of this info now.
  core::Send push_of(const wire::PingInfo& reported) {
    bytes_of_push = core::encode(reported);
    fragment = {bytes_of_push.data(), bytes_of_push.size()};
    const auto [handle, msg] = state.messages.make();
    made = handle;
    pushed = msg;
    pushed->started = world.now();
    core::Send push;
    push.tx = state.name(handle);
    push.header.part =
        wire::PutPart{.ack_wmd = {0, state.portal0.mds.find(state.portal0.ping_target)->md.cookie},
                      .portal = core::kReservedPortal.index};
    push.payload = {&fragment, 1, 0, static_cast<std::uint32_t>(bytes_of_push.size())};
    return push;
  }
  /// In this step a begins to push its info, and the push fails by a's NI, whose health is then 0.
  void push_fails(core::Input input) {
    const core::Send push = push_of(info());
    info().legacy[0].status = wire::NiStatus::kDown;
    renew();
    state.nis.find(tcp(1))->health = 0;
    step(std::move(input), {push, notes("its health is 0")});
  }
  ~PingChecker() override {
    if (made) state.messages.erase(made);
  }

  NoPing ends;
  std::vector<std::byte> bytes_of_push;
  iovec fragment{};
  Handle made;
  core::Msg* pushed = nullptr;
};

TEST_F(PingChecker, IsSilentAboutASoundNodeThatChanges) {
  pings(b, a);
  a.set_link(0, false);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  EXPECT_EQ(info().sequence, 1U) << "only other NIDs raise it";
  EXPECT_EQ(info().legacy[0].status, wire::NiStatus::kDown);
  a.set_link(0, true);
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  ASSERT_TRUE(a.add_ni({.nid = tcp(3)}).has_value());
  EXPECT_EQ(info().sequence, 2U);
  pings(b, a);
  introduces(b, a);
  EXPECT_EQ(state.directory.find(tcp(2))->acked_sequence, 2U);
  EXPECT_EQ(said_of_all(), "");
}

TEST_F(PingChecker, SeesAnNiThatIsReportedUpAndIsDown) {
  step(core::NiState{ni, core::NiLink::kFailed});
  EXPECT_EQ(said(), "its ping info: 10.0.0.1@tcp is reported to be up");
}

TEST_F(PingChecker, SeesAnNiThatIsReportedDownAndIsUp) {
  info().legacy[0].status = wire::NiStatus::kDown;
  step(core::Tick{});
  EXPECT_EQ(said(), "its ping info: 10.0.0.1@tcp is reported to be down");
}

TEST_F(PingChecker, SeesAnNiThatIsDownForItsHealthAndNotReported) {  // spec/multirail.md 5.1
  state.nis.find(tcp(1))->health = 0;
  step(core::Tick{});
  EXPECT_EQ(said(), "its ping info: 10.0.0.1@tcp is reported to be up");
}

/// This node begins to route, and a push that reports it fails by the NI in the same step.
TEST_F(PingChecker, KnowsThatItRoutesUntilAPushThatSaysSoFails) {  // spec/multirail.md 9.1, 11.2
  step(core::Tick{});
  const auto before = std::exchange(state.router.state, core::RoutingState::kEnabled);
  info().features &= ~static_cast<std::uint32_t>(wire::kPingRoutingDisabled);
  push_fails(core::Tick{});
  EXPECT_EQ(said(), "");
  state.router.state = before;
}

/// Several messages may end in one step.
TEST_F(PingChecker, FollowsHealthThatIsFullAndFallsInOneStep) {  // spec/multirail.md 5.1
  core::LocalNi& own = *state.nis.find(tcp(1));
  own.health = 0;
  info().legacy[0].status = wire::NiStatus::kDown;
  step_with_new_info();
  own.health = 900;
  step(core::Tick{}, {notes("its health is 0"), notes("its health is not full: {}")});
  EXPECT_EQ(said(), "") << "it was not full again";
  info().legacy[0].status = wire::NiStatus::kUp;
  renew();
  step(core::Tick{}, {notes("its health is full again"), notes("its health is not full: {}")});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {notes("its health is full again"), notes("its health is 0")});
  EXPECT_EQ(said(), "its ping info: 10.0.0.1@tcp is reported to be up");
}

TEST_F(PingChecker, SeesANiThatIsLeftOut) {
  info().legacy.clear();
  step(core::Tick{});
  EXPECT_EQ(said(), "its ping info: 10.0.0.1@tcp is not where it should be");
}

TEST_F(PingChecker, SeesNidsThatTheNodeHasNot) {
  info().legacy.push_back({tcp(9), wire::NiStatus::kUp});
  step(core::Tick{});
  EXPECT_EQ(said(), "its ping info: has NIDs that the node does not have");
}

TEST_F(PingChecker, SeesWrongFeatures) {
  info().features &= ~static_cast<std::uint32_t>(wire::kPingMultiRail);
  step(core::Tick{});
  EXPECT_EQ(said(), "its ping info: features");
}

TEST_F(PingChecker, SeesAnotherNiWithoutANewNumber) {
  auto config = std::make_shared<core::NodeConfig>(*state.config);
  config->nis.push_back({.id = {9}, .nid = tcp(9)});
  state.config = config;
  info().legacy.push_back({tcp(9), wire::NiStatus::kUp});
  step_with_new_info();
  EXPECT_EQ(said(), "its NIDs changed, and sequence number 1 became 1");
}

TEST_F(PingChecker, SeesANewNumberForAStatus) {  // spec/multirail.md 4.4
  info().legacy[0].status = wire::NiStatus::kDown;
  info().sequence = 2;
  step(core::NiState{ni, core::NiLink::kFailed});
  EXPECT_EQ(said(), "its NIDs did not change, and sequence number 1 became 2");
}

TEST_F(PingChecker, SeesANumberThatIsLeftOut) {
  info().legacy[0].status = wire::NiStatus::kDown;
  info().sequence = 3;
  step(core::NiState{ni, core::NiLink::kFailed});
  EXPECT_EQ(said(), "its NIDs did not change, and sequence number 1 became 3");
}

TEST_F(PingChecker, SeesANewNumberWithoutAChange) {
  info().sequence = 2;
  step_with_new_info();
  EXPECT_EQ(said(), "its NIDs did not change, and sequence number 1 became 2");
}

TEST_F(PingChecker, SeesATargetThatHoldsAnotherInfo) {
  step(core::Tick{});
  state.portal0.mds.find(state.portal0.ping_target)->bytes[8] ^= std::byte{1};
  EXPECT_EQ(said_of_all(), "its ping target holds another info than the one in force");
}

TEST_F(PingChecker, SeesATargetThatCannotBeFound) {
  step(core::Tick{});
  state.portal0.ping_target = {};
  EXPECT_EQ(said_of_all(), "its ping target cannot be found");
}

/// The ping target's memory changes while the answer leaves.
TEST_F(PingChecker, SeesAnAnswerThatWasNotInForce) {
  state.portal0.mds.find(state.portal0.ping_target)->bytes[8] ^= std::byte{1};
  pings(b, a);
  EXPECT_EQ(said(), "answers a ping with an info that was not in force");
}

/// In one step an NI becomes unhealthy, the node begins a push, and the NI is healthy again.
TEST_F(PingChecker, KnowsAnInfoThatWasInForceWithinAStep) {  // spec/multirail.md 5.1
  wire::PingInfo down = info();
  down.legacy[0].status = wire::NiStatus::kDown;
  const core::Send push = push_of(down);
  step(core::Tick{}, {notes("its health is 0"), push, notes("its health is full again")});
  EXPECT_EQ(said(), "");
  step(core::Tick{}, {push});
  EXPECT_EQ(said(), "") << "the push began while it was in force";
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  pushed->started = world.now();
  step(core::Tick{}, {push});
  EXPECT_EQ(said(), "pushes an info that was not in force");
}

/// The link of an NI comes up, and the push that reports it fails by that NI in the same step.
TEST_F(PingChecker, KnowsAnInfoThatWasInForceUntilItsPushFailed) {  // spec/multirail.md 5.1, 11.2
  const wire::PingInfo up = info();
  info().legacy[0].status = wire::NiStatus::kDown;
  renew();
  step(core::NiState{ni, core::NiLink::kFailed});
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  const core::Send push = push_of(up);
  state.nis.find(tcp(1))->health = 0;
  step(core::NiState{ni, core::NiLink::kUp}, {notes("its health is 0"), push});
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  pushed->started = world.now();
  step(core::Tick{}, {push});
  EXPECT_EQ(said(), "pushes an info that was not in force");
}

/// Discovery is turned off, and one of the pushes that report it fails by the NI in the same step.
TEST_F(PingChecker, KnowsFeaturesThatWereInForceUntilTheirPushFailed) {  // spec/multirail.md 4.8
  step(core::Tick{});
  auto config = std::make_shared<core::NodeConfig>(*state.config);
  config->globals.discovery = 0;
  state.config = config;
  info().features &= ~static_cast<std::uint32_t>(wire::kPingDiscovery);
  push_fails(core::Config{});
  EXPECT_EQ(said(), "");
}

TEST_F(PingChecker, SeesAnAnswerOfAnotherPartitionThatIsNotInForce) {
  core::Portal0Md& target = *state.portal0.mds.find(state.portal0.ping_target);
  const iovec all{target.bytes.data(), target.bytes.size()};
  core::shard_msg::Matched lent;
  lent.md = target.md;
  lent.memory = {&all, 1, 0, 48};
  const auto lends = [&] {
    core::ShardMsg shard_msg{lent};
    step(core::Tick{}, {core::ToShard{1, &shard_msg}});
  };
  lends();
  EXPECT_EQ(said(), "");
  target.bytes[8] ^= std::byte{1};
  lends();
  EXPECT_EQ(said(), "answers a ping with an info that is not in force");
}

TEST_F(PingChecker, SeesAnAcknowledgementOfAnInfoThatWasNeverSent) {
  introduces(b, a);
  state.directory.find(tcp(2))->acked_sequence = 2;
  EXPECT_EQ(said_of_all(), "10.0.0.2@tcp: acknowledged an info that was never reported");
}

TEST_F(PingChecker, SeesAPeerWithNidsThatItNeverAdvertised) {
  introduces(b, a);
  state.directory.learn(*state.directory.find(tcp(2)), {tcp(2), tcp(8)}, true);
  EXPECT_EQ(said_of_all(), "10.0.0.2@tcp: has NIDs that it never advertised");
}

/// b returns with a NID that a does not know yet, and reports it together with one that a knows.
TEST_F(PingChecker, AllowsANidThatHasMovedToAnotherPeer) {  // spec/multirail.md 4.4
  for (const Nid& nid : {tcp(12), tcp(14)}) ASSERT_TRUE(b.add_ni({.nid = nid}).has_value());
  introduces(b, a);
  const core::Peer& peer = *state.directory.find(tcp(2));
  ASSERT_EQ(peer.nids().size(), 3U);
  state.directory.learn(state.directory.meet(tcp(13)), {tcp(12), tcp(13)}, true);
  for (const Nid& nid : {tcp(2), tcp(12), tcp(13), tcp(14)})
    state.peers.set_peer_entry(state.peers.use(nid), state.directory.find(nid)->peer_entry);
  step(core::Tick{});
  ASSERT_EQ(peer.nids().size(), 2U);
  EXPECT_EQ(said_of_all(), "");
}

/// b reports a NID that is another peer's primary NID at a. The other peer cannot be asked whether
/// it still has the NID.
TEST_F(PingChecker, AllowsThePrimaryNidOfAnotherPeer) {  // spec/multirail.md 1, 4.4
  core::Peer& other = state.directory.meet(tcp(12));
  state.directory.learn(other, {tcp(12)}, true);
  other.state |= core::kPeerMultiRail | core::kPeerDiscovered;
  other.calls_only = true;
  state.peers.set_peer_entry(state.peers.use(tcp(12)), other.peer_entry);
  for (const Nid& nid : {tcp(12), tcp(14)}) ASSERT_TRUE(b.add_ni({.nid = nid}).has_value());
  introduces(b, a);
  ASSERT_EQ(state.directory.find(tcp(2))->nids().size(), 2U);
  EXPECT_EQ(said_of_all(), "");
}

/// a's NI was deleted for a while, and a message of a was on its way to it. The answer also names
/// a's other NID, which a had all the time.
TEST_F(PingChecker, AllowsAnOwnNidThatWasRemovedForAWhile) {  // spec/multirail.md 4.4
  ASSERT_TRUE(a.add_ni({.nid = tcp(11)}).has_value());
  step(core::Tick{});
  core::Peer& itself = state.directory.meet(tcp(11));
  state.directory.learn(itself, {tcp(11)}, true);
  itself.state |= core::kPeerMultiRail | core::kPeerNidsUpToDate;
  state.peers.set_peer_entry(state.peers.use(tcp(11)), itself.peer_entry);
  EXPECT_EQ(said_of_all(), "");
  state.directory.learn(itself, {tcp(11), tcp(8)}, true);
  EXPECT_EQ(said_of_all(), "10.0.0.11@tcp: has NIDs that it never advertised");
}

TEST_F(PingChecker, SeesAPeerWithoutANidThatItHasAdvertised) {
  for (const Nid& nid : {tcp(12), tcp(14)}) ASSERT_TRUE(b.add_ni({.nid = nid}).has_value());
  introduces(b, a);
  state.directory.learn(*state.directory.find(tcp(2)), {tcp(2), tcp(14)}, true);
  step(core::Tick{});
  EXPECT_EQ(said_of_all(), "10.0.0.2@tcp: has NIDs that it never advertised");
}

TEST_F(PingChecker, SeesAPartitionThatIgnoresAPublishedPeerEntry) {
  core::ShardMsg shard_msg;
  auto& news = shard_msg.body.emplace<core::shard_msg::Publish>();
  const auto peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(2), tcp(3)}, true, 1});
  news.peer_entries = {peer_entry};
  step(core::FromShard{0, &shard_msg});
  EXPECT_EQ(said(), "") << "it does not use the NIDs";
  state.peers.set_peer_entry(state.peers.use(tcp(2)), peer_entry);
  step(core::FromShard{0, &shard_msg});
  EXPECT_EQ(said(), "");
  state.peers.set_peer_entry(state.peers.use(tcp(2)), nullptr);
  step(core::FromShard{0, &shard_msg});
  EXPECT_EQ(said(), "10.0.0.2@tcp: a partition has another peer entry of it");
}

TEST_F(PingChecker, SeesAPeerEntryThatDiffersFromTheDirectory) {
  pings(a, b);
  state.peers.find(tcp(2))->reported = 1;
  step(core::PayloadLanded{});
  EXPECT_EQ(said(), "");
  (void)state.directory.learn(state.directory.meet(tcp(2)), {tcp(2), tcp(3)}, true);
  step(core::PayloadLanded{});
  EXPECT_EQ(said(), "10.0.0.2@tcp: a partition has another peer entry of it");
}

TEST_F(PingChecker, SeesPartitionsThatKeepDifferentNids) {
  SimNode& c = world.add_node({.name = "c", .nis = {{.nid = tcp(3)}}, .partitions = 2});
  introduces(b, c);
  EXPECT_EQ(said_of_all(), "");
  auto& other = const_cast<core::ShardState&>(*c.shard_state(1));
  const auto peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(2), tcp(8)}, true});
  core::PeerEntryRef right = std::exchange(other.peers.use(tcp(2)).peer_entry, peer_entry);
  EXPECT_EQ(said_of_all(), "10.0.0.2@tcp: a partition has another peer entry of it");
  other.peers.find(tcp(2))->peer_entry = right;
}

}  // namespace
}  // namespace ulnet::sim
