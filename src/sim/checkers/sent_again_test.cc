// Shows checkers false re-sends, false messages that another shard transmits, a false health of NIs
// in shards, a wrong NI for a peer, and wrong paths.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

// ---- sent again as allowed ----

struct AgainChecker : Lies<sent_again_checker> {
  AgainChecker() { std::tie(self, msg) = state.messages.make(); }
  ~AgainChecker() override { state.messages.erase(self); }
  core::MsgTicket tx() const { return state.name(self); }
  void sends(Instant deadline = Instant{hours(9)}) {
    core::Send made = send(tx());
    made.deadline = deadline;
    step(core::Tick{}, {made});
  }
  void fails(core::Health health = core::Health::kLocalDropped) {
    step(core::SendDone{tx(), -EIO, health});
  }

  Handle self;
  core::Msg* msg = nullptr;
};

TEST_F(AgainChecker, AllowsTwoMoreTries) {
  for (int i = 0; i < 3; ++i) {
    sends();
    fails();
  }
  EXPECT_EQ(said(), "");
}

TEST_F(AgainChecker, SeesOneTryTooMany) {
  for (int i = 0; i < 4; ++i) {
    sends();
    fails();
  }
  EXPECT_THAT(said(), HasSubstr("too often"));
}

TEST_F(AgainChecker, SeesAMessageThatIsSentTwiceAtOnce) {
  sends();
  sends();
  EXPECT_THAT(said(), HasSubstr("with a driver already"));
}

TEST_F(AgainChecker, SeesAMessageThatHasLeftBefore) {
  sends();
  step(core::SendDone{tx(), 0, core::Health::kOk});
  sends();
  EXPECT_THAT(said(), HasSubstr("has left"));
}

TEST_F(AgainChecker, SeesAFailureThatDoesNotAllowIt) {
  sends();
  fails(core::Health::kNetworkTimeout);
  sends();
  EXPECT_THAT(said(), HasSubstr("does not allow it"));
}

TEST_F(AgainChecker, SeesAMessageThatTheNeighbourMayHaveGot) {
  sends();
  step(core::SendDone{tx(), -EIO, core::Health::kLocalAborted, true});
  sends();
  EXPECT_THAT(said(), HasSubstr("was begun"));
}

TEST_F(AgainChecker, SeesATryPastTheDeadline) {
  sends(world.now() - seconds(1));
  fails();
  sends(world.now() - seconds(1));
  EXPECT_THAT(said(), HasSubstr("past its deadline"));
}

// The message's deadline has passed when the rule releases it, or had passed when the rule took it.
TEST_F(AgainChecker, ADelayRuleHoldsItFromBeforeItsDeadline) {  // spec/multirail.md 11.3
  for (const bool too_late : {false, true}) {
    const Instant deadline = world.now() + (too_late ? -seconds(1) : seconds(1));
    sends(deadline);
    fails();
    msg->outgoing = true;
    msg->state = core::MsgState::kDelayed;
    state.fault_holds.add(tx(), deadline + seconds(2), 1);
    step(core::Tick{});
    world.run_for(seconds(3));
    state.fault_holds.take(deadline + seconds(2));
    msg->state = core::MsgState::kSending;
    sends(deadline);
    EXPECT_EQ(said(), too_late ? "a message to 10.0.0.2@tcp is sent again past its deadline" : "");
    step(core::SendDone{tx(), 0, core::Health::kOk});
    state.messages.erase(self);
    std::tie(self, msg) = state.messages.make();
  }
}

TEST_F(AgainChecker, SeesALaterDeadline) {
  sends();
  fails();
  sends(Instant{hours(10)});
  EXPECT_THAT(said(), HasSubstr("another deadline"));
}

// ---- with two NIs, or several shards ----

/// A node with two NIs of one net and two shards, about which a test gives a checker false
/// information.
template <auto kMake>
struct TwoNis : ::testing::Test {
  TwoNis()
      : checker(world.add_checker(kMake())),
        node(world.add_node(
            {.name = "a", .nis = {{.nid = tcp(1)}, {.nid = tcp(2)}}, .partitions = 2})) {
    EXPECT_TRUE(world.run_until_quiet().reached());
  }
  core::ShardState& state(std::uint32_t shard) {
    return const_cast<core::ShardState&>(*node.shard_state(shard));
  }
  core::LocalNi& ni(std::uint32_t shard, std::uint32_t host) {
    return *state(shard).nis.find(tcp(host));
  }
  void step(const core::Input& input, const core::Actions& actions) {
    checker.after_step(world, {node, 0, world.now(), input, actions, state(0)});
  }
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }

  World world{1};
  Checker& checker;
  SimNode& node;
};

struct ChoiceChecker : TwoNis<sent_again_checker> {
  /// The first shard gives the message to the driver of its NI.
  core::Send send_of(Handle self, const core::Msg& msg) {
    core::Send send;
    send.ni = msg.ni->config.id;
    send.tx = state(0).name(self);
    send.deadline = world.now() + seconds(9);
    return send;
  }
};

TEST_F(ChoiceChecker, SeesThatTheFailedNiIsTakenAgain) {
  auto [self, msg] = state(0).messages.make();
  msg->outgoing = true;
  msg->internal = true;
  msg->ni = &ni(0, 1);
  const core::Send send = send_of(self, *msg);
  const core::SendDone failed{send.tx, -EIO, core::Health::kLocalDropped};
  step(core::Tick{}, {send});
  step(failed, {send});
  EXPECT_EQ(said(), "") << "both are as good";
  msg->ni->health = 900;
  step(failed, {send});
  EXPECT_THAT(said(), HasSubstr("10.0.0.2@tcp has better health"));
  state(0).messages.erase(self);
}

// spec/multirail.md 11.2: a rule fails a message when the core gives it to the driver.
TEST_F(ChoiceChecker, AFaultRuleMayFailAnotherMessageByTheChosenNiInThatStep) {
  auto [self, msg] = state(0).messages.make();
  msg->outgoing = true;
  msg->internal = true;
  msg->ni = &ni(0, 1);
  const core::Send send = send_of(self, *msg);
  const core::SendDone failed{send.tx, -EIO, core::Health::kRemoteDropped};
  const core::Actions none;
  step(core::Tick{}, {send});
  state(0).fault_rules.add({.rate = 2, .errors = 2}, 0, world.now());
  checker.before_step(world, {node, 0, world.now(), failed, none, state(0)});
  msg->ni->health = 900;
  step(failed, {send});
  EXPECT_EQ(said(), "");
  checker.before_step(world, {node, 0, world.now(), failed, none, state(0)});
  step(failed, {send});
  EXPECT_THAT(said(), HasSubstr("10.0.0.2@tcp has better health"));
  state(0).messages.erase(self);
}

// The message fails by another NI, whose health the failure lowers, and is sent again by the NI of
// the rule (spec/multirail.md 5.3, 11.2).
TEST_F(ChoiceChecker, AFaultRuleMayLowerTheChosenNiWhereAnotherNiWasToBlame) {
  auto [self, msg] = state(0).messages.make();
  msg->outgoing = msg->internal = true;
  msg->ni = &ni(0, 1);
  const core::Send send = send_of(self, *msg);
  const core::SendDone failed{send.tx, -EIO, core::Health::kLocalDropped};
  const auto fails_by = [&](std::uint32_t host) {
    const core::Actions none;
    msg->ni = &ni(0, host);
    checker.before_step(world, {node, 0, world.now(), failed, none, state(0)});
    msg->ni = &ni(0, 1);
  };
  step(core::Tick{}, {send});
  state(0).fault_rules.add({.rate = 2, .errors = 2}, 0, world.now());
  fails_by(2);
  msg->ni->health = 900;
  step(failed, {send});
  EXPECT_EQ(said(), "");
  fails_by(1);
  msg->ni->health = 800;
  step(failed, {send});
  EXPECT_THAT(said(), HasSubstr("10.0.0.2@tcp has better health"));
  state(0).messages.erase(self);
}

// The gateway has multi-rail. spec/multirail.md 3.4.
TEST_F(ChoiceChecker, APeerWithoutMultiRailBehindARouterMaySeeTheSameNi) {
  auto [self, msg] = state(0).messages.make();
  msg->outgoing = true;
  msg->ni = &ni(0, 1);
  msg->ni->health = 900;
  msg->peer = &state(0).peers.use_ni(tcp(9), 8);
  msg->hop.nid = tcp(9);
  msg->header.dest_nid = tcp(5, 7);
  const auto multi_rail = [&](const Nid& nid) {
    state(0).peers.set_peer_entry(state(0).peers.use(nid), std::make_shared<const core::PeerEntry>(
                                                               core::PeerEntry{{nid}, true}));
  };
  multi_rail(tcp(9));
  const core::Send send = send_of(self, *msg);
  const core::SendDone failed{send.tx, -EIO, core::Health::kRemoteDropped};
  step(core::Tick{}, {send});
  step(failed, {send});
  EXPECT_EQ(said(), "");
  multi_rail(tcp(5, 7));
  step(failed, {send});
  EXPECT_THAT(said(), HasSubstr("10.0.0.2@tcp has better health"));
  state(0).messages.erase(self);
}

TEST_F(ChoiceChecker, SeesAMessageThatIsNeverTransmitted) {
  auto [self, msg] = state(0).messages.make();
  msg->outgoing = true;
  msg->state = core::MsgState::kElsewhere;
  auto [there, transmitted] = state(1).messages.make();
  transmitted->outgoing = true;
  transmitted->remote = {0, state(0).name(self)};
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  state(1).messages.erase(there);
  checker.check_all(world);
  EXPECT_EQ(said(), "1 messages are elsewhere, where 0 are transmitted");
  state(0).messages.erase(self);
}

TEST_F(ChoiceChecker, SeesATransmissionWithoutAWaiter) {
  auto [there, transmitted] = state(1).messages.make();
  transmitted->outgoing = true;
  transmitted->remote = {0, {7, 1}};
  checker.check_all(world);
  EXPECT_EQ(said(), "a message is transmitted for which no shard waits");
  state(1).messages.erase(there);
}

using HealthChecker = TwoNis<health_agrees_checker>;

TEST_F(HealthChecker, SeesAShardThatGotNoReport) {
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  ni(0, 2).health = 300;
  checker.check_all(world);
  EXPECT_EQ(said(), "10.0.0.2@tcp: partition 1 sees health 1000, it is 300");
}

TEST_F(HealthChecker, AllowsAnNiRemovedInAnotherShard) {
  ni(1, 2).phase = core::NiPhase::kDraining;
  ni(1, 2).health = 900;
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  ni(1, 2).phase = core::NiPhase::kUp;
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("partition 1 sees health 900"));
}

struct SourceChecker : TwoNis<one_source_checker> {
  SourceChecker() {
    std::tie(self, msg) = state(0).messages.make();
    msg->outgoing = true;
    msg->remote = {1, kBegan};
    msg->peer = &state(0).peers.use_ni(tcp(9), 8);
  }
  ~SourceChecker() override { state(0).messages.erase(self); }
  /// Another shard has this shard send a message, by an NI that this shard chooses; it chooses the
  /// NI of `host`, and the peer is to see `kept` from now on.
  void transmits(std::uint32_t host, std::uint32_t kept) {
    core::ShardMsg shard_msg{core::shard_msg::Transmit{}};
    auto& transmit = std::get<core::shard_msg::Transmit>(shard_msg.body);
    transmit.msg = kBegan;
    transmit.path.hop.nid = tcp(9);
    core::Send send;
    send.hop.nid = tcp(9);
    send.tx = state(0).name(self);
    send.ni = ni(0, host).config.id;
    send.header.src_nid = tcp(host);
    const core::Input input = core::FromShard{1, &shard_msg};
    const core::Actions none;
    checker.before_step(world, {node, 0, world.now(), input, none, state(0)});
    msg->peer->fixed_source = ni(0, kept).config.id;
    core::Actions sends;
    sends.emplace_back(send);
    step(input, sends);
  }

  static constexpr core::MsgTicket kBegan{1U << core::kTicketSlotBits, 1};
  Handle self;
  core::Msg* msg = nullptr;
};

TEST_F(SourceChecker, SeesAnotherNiForTheSamePeer) {
  transmits(1, 1);
  transmits(1, 1);
  EXPECT_EQ(said(), "");
  transmits(2, 2);
  EXPECT_EQ(said(), "10.0.0.9@tcp sees 10.0.0.2@tcp, but saw another NI before");
}

TEST_F(SourceChecker, SeesAnNiThatIsNotKept) {
  transmits(2, 1);
  EXPECT_EQ(said(), "10.0.0.9@tcp sees 10.0.0.2@tcp, which this node does not keep for it");
}

TEST_F(SourceChecker, AllowsAnyNiForAPeerWithMultiRail) {
  msg->peer->known->peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(9)}, true});
  transmits(1, 1);
  transmits(2, 1);
  EXPECT_EQ(said(), "");
}

/// This node begins PUTs to a peer that has the hosts 8 and 9.
struct PathChecker : TwoNis<best_path_checker> {
  PathChecker() {
    for (const Nid& nid : peer_entry->nids)
      state(0).peers.set_peer_entry(state(0).peers.use(nid), peer_entry);
  }
  /// Gives the node this policy.
  void policy(const core::udsp::RuleText& words) {
    core::udsp::RuleList rules;
    ASSERT_TRUE(rules.add(core::udsp::parse_rule(words).value()));
    auto config = std::make_shared<core::NodeConfig>(*state(0).config);
    config->udsp = std::make_shared<const core::udsp::RuleList>(std::move(rules));
    state(0).config = std::move(config);
  }
  /// A PUT goes to `host`; it takes `turns` turns.
  void puts_to(std::uint32_t host, std::uint64_t turns = 1, const Nid& self = Nid::any(),
               std::uint32_t by = 0) {
    core::call::Put put;
    put.request.md = {77};
    put.request.target.nid = tcp(8);
    put.request.portal = {5};
    put.request.self = self;
    core::ApiCall call{put};
    const core::Input input = core::Api{&call};
    const core::Actions none;
    checker.before_step(world, {node, 0, world.now(), input, none, state(0)});
    state(0).nis.turns += turns;
    core::ShardMsg shard_msg{core::shard_msg::Transmit{}};
    auto& transmit = std::get<core::shard_msg::Transmit>(shard_msg.body);
    transmit.md = {77};
    transmit.path.hop.nid = tcp(host);
    if (by != 0) transmit.path.ni = ni(0, by).config.id;
    core::Actions actions;
    actions.emplace_back(core::ToShard{1, &shard_msg});
    step(input, actions);
  }
  const core::PeerEntryRef peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(8), tcp(9)}, true});
};

TEST_F(PathChecker, SeesANidThatIsNotTheHealthiest) {
  puts_to(8);
  puts_to(9);
  state(0).peers.find(tcp(9))->health = 900;
  puts_to(8);
  EXPECT_EQ(said(), "");
  puts_to(9);
  EXPECT_EQ(said(), "a request goes to 10.0.0.9@tcp, while 10.0.0.8@tcp has better health");
}

TEST_F(PathChecker, SeesANidThatAPolicyDoesNotPrefer) {
  policy({.src = {}, .dst = "10.0.0.9@tcp", .rte = {}, .priority = 4});
  puts_to(9);
  EXPECT_EQ(said(), "");
  puts_to(8);
  EXPECT_EQ(said(), "a request goes to 10.0.0.8@tcp, while 10.0.0.9@tcp has a better priority");
}

TEST_F(PathChecker, SeesAnNiThatAPolicyDoesNotPrefer) {
  policy({.src = "10.0.0.2@tcp", .dst = {}, .rte = {}, .priority = {}});
  puts_to(8, 1, Nid::any(), 2);
  EXPECT_EQ(said(), "");
  puts_to(8, 1, Nid::any(), 1);
  EXPECT_EQ(said(),
            "a request leaves by 10.0.0.1@tcp, while 10.0.0.2@tcp has better health or a better "
            "priority");
}

TEST_F(PathChecker, SeesATurnThatDoesNotPass) {
  puts_to(8, 0);
  EXPECT_EQ(said(), "a path to 10.0.0.8@tcp was chosen, and no turn passed");
}

TEST_F(PathChecker, AllowsAnyPathOfAGivenSource) {
  state(0).peers.find(tcp(9))->health = 900;
  puts_to(9, 0, tcp(1));
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
