// Shows the checker wrong searches for buffers in a node of three partitions.
#include <deque>

#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

/// Node "a" with buffers at partitions 0 and 2 of portal 4, whose owner shard is 1.
struct TurnChecker : ::testing::Test {
  TurnChecker()
      : checker(world.add_checker(buffers_in_turn_checker())),
        a(world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}, .partitions = 3})) {
    for (const std::uint32_t cpt : {0U, 2U}) attach(cpt, {}, {~0ULL}, {4});
    EXPECT_TRUE(world.run_for(seconds(1)).reached());
  }
  void attach(std::uint32_t cpt, const ProcessId& id, MatchBits ignore, Portal portal) {
    const auto me = a.me_attach_at(cpt, portal, id, {7}, ignore, UnlinkMode::kUnlink);
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = kOpPut;
    spec.sink = &sink;
    ASSERT_TRUE(a.md_attach(me.value(), spec, UnlinkMode::kUnlink).has_value());
  }
  void step(std::uint32_t shard, core::Input input, core::Actions actions = {}) {
    const ShardStep given{a, shard, world.now(), input, actions, *a.shard_state(shard)};
    checker.before_step(world, given);
    checker.after_step(world, given);
  }
  wire::LnetHeader header(std::uint32_t portal = 4) const {
    wire::LnetHeader made;
    made.src_nid = tcp(2);
    made.dest_nid = tcp(1);
    made.part.emplace<wire::PutPart>().portal = portal;
    return made;
  }
  template <class Body>
  core::Action to_shard(std::uint32_t to, Body body) {
    shard_msgs.push_back({std::move(body)});
    return core::ToShard{to, &shard_msgs.back()};
  }
  void arrives(std::uint32_t shard, const wire::LnetHeader& header, core::Actions actions = {}) {
    step(shard, core::HeaderArrived{{2}, {header.src_nid, Pid::lustre()}, &header, {1}, {}},
         std::move(actions));
  }
  template <class Body>
  void shard_msg(std::uint32_t from, std::uint32_t to, Body body, core::Actions actions = {}) {
    const core::ShardMsg given{std::move(body)};
    step(to, core::FromShard{from, &given}, std::move(actions));
  }
  core::ShardState& state(std::uint32_t shard) {
    return const_cast<core::ShardState&>(*a.shard_state(shard));
  }
  /// A message that the owner shard (1) holds, and the inter-shard message by which it asks shard
  /// `to` for its buffer.
  core::Action asks(std::uint32_t to, const wire::LnetHeader& header,
                    const core::ShardSet& nothing = {1}) {
    auto [self, msg] = state(1).messages.make();
    msg->self = state(1).name(self);
    msg->asked = nothing;
    return to_shard(to, core::shard_msg::Match{1, {}, header, msg->self, {}});
  }
  /// The header of a PUT from a peer of partition `shard`, for which portal 7, a unique one whose
  /// owner shard is 1, has an entry.
  wire::LnetHeader unique_header(std::uint32_t shard) {
    std::uint32_t host = 10;
    while (a.shard_state()->placement.of(tcp(host)) != shard) ++host;
    attach(0, {tcp(host), Pid::lustre()}, {}, {7});
    EXPECT_TRUE(world.run_for(seconds(1)).reached());
    wire::LnetHeader made = header(7);
    made.src_nid = tcp(host);
    return made;
  }
  void rotor(core::PortalRotor value) {
    core::Globals globals = a.config()->globals;
    globals.portal_rotor = value;
    a.configure(globals);
    ASSERT_TRUE(world.run_for(seconds(1)).reached());
  }
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }

  std::vector<char> bytes = std::vector<char>(100);
  const iovec memory{bytes.data(), bytes.size()};
  /// The inter-shard messages of the ToShards that the checker was given.
  std::deque<core::ShardMsg> shard_msgs;
  Silent sink;
  World world{1};
  Checker& checker;
  SimNode& a;
};

TEST_F(TurnChecker, SeesAMessageThatLeftItsPartition) {
  arrives(2, header());
  EXPECT_EQ(said(), "");
  arrives(2, header(), {to_shard(0, core::shard_msg::Match{2, {}, header(), {}, {}})});
  EXPECT_EQ(said(), "portal 4: a message looked for a buffer in partition 0 first, not in 2");
}

TEST_F(TurnChecker, SeesARoutedMessageThatIsNotWhereItsHashSays) {
  wire::LnetHeader routed = header();
  routed.src_nid = Nid::small({NetType::kTcp, 5}, 0x0a000002);
  const std::uint32_t hashed = a.shard_state()->placement.of(routed.src_nid);
  const std::uint32_t other = hashed == 0 ? 2 : 0;
  arrives(hashed, routed);
  EXPECT_EQ(said(), "");
  arrives(other, routed);
  EXPECT_THAT(said(), HasSubstr("first, not in " + std::to_string(hashed)));
}

TEST_F(TurnChecker, SeesAPartitionThatIsLeftOutOfTheRoundRobin) {
  rotor(core::PortalRotor::kOn);
  arrives(0, header());
  arrives(0, header(), {to_shard(1, core::shard_msg::Match{0, {}, header(), {}, {}})});
  EXPECT_EQ(said(), "");
  arrives(0, header());
  EXPECT_EQ(said(), "portal 4: a message looked for a buffer in partition 0 first, not in 2");
}

TEST_F(TurnChecker, CountsARequestWhoseReplyIsLostInTheSameStep) {
  rotor(core::PortalRotor::kOn);
  arrives(0, header());
  const wire::LnetHeader get = header();
  const core::HeaderArrived arrived{{2}, {get.src_nid, Pid::lustre()}, &get, {1}, {}};
  const core::Actions actions{to_shard(1, core::shard_msg::Match{0, {}, get, {}, {}})};
  const core::Input input = arrived;
  const ShardStep given{a, 0, world.now(), input, actions, state(0)};
  checker.before_step(world, given);
  state(0).counters.drop(core::DropReason::kFaultRuleSent);
  checker.after_step(world, given);
  arrives(0, header(), {to_shard(2, core::shard_msg::Match{0, {}, header(), {}, {}})});
  EXPECT_EQ(said(), "");
}

TEST_F(TurnChecker, SeesOnePartitionAskedTwiceBeforeAnother) {  // spec/core-semantics.md 7.3
  const core::shard_msg::Park parked{0, {}, header(), {0}};
  shard_msg(0, 1, parked, {asks(0, header())});
  shard_msg(0, 1, parked, {asks(2, header())});
  shard_msg(0, 1, parked, {asks(0, header())});
  EXPECT_EQ(said(), "");
  shard_msg(0, 1, parked, {asks(0, header())});
  EXPECT_EQ(said(), "portal 4: partition 0 was asked for a buffer again, before 2");
}

TEST_F(TurnChecker, AllowsPartitionsWithoutBuffers) {
  const core::shard_msg::Park parked{0, {}, header(), {0}};
  for (int i = 0; i < 3; ++i) shard_msg(0, 1, parked, {asks(0, header(), {1, 2})});
  EXPECT_EQ(said(), "");
}

TEST_F(TurnChecker, SeesAnOwnerThatServesItselfFirst) {
  attach(1, {}, {~0ULL}, {4});
  const core::shard_msg::Park parked{0, {}, header(), {0}};
  shard_msg(0, 1, parked, {to_shard(0, core::shard_msg::Matched{})});
  EXPECT_EQ(said(), "");
  shard_msg(0, 1, parked, {to_shard(0, core::shard_msg::Matched{})});
  EXPECT_EQ(said(), "portal 4: partition 1 was asked for a buffer again, before 2");
}

/// The owner shard finds nothing with the peer entry of a Match, parks the message, and looks again
/// with a newer peer entry.
TEST_F(TurnChecker, CountsAnOwnerThatTakesWhatItHasJustParked) {
  attach(1, {}, {~0ULL}, {4});
  const core::shard_msg::Park parked{0, {}, header(), {0}};
  shard_msg(0, 1, parked, {asks(2, header())});
  core::PeerNid& known = state(1).peers.use(tcp(2));
  known.peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(2), tcp(3)}, true});
  shard_msg(0, 1, core::shard_msg::Match{0, {}, header(), {}, {}},
            {to_shard(0, core::shard_msg::Matched{})});
  shard_msg(0, 1, parked, {asks(2, header())});
  EXPECT_EQ(said(), "");
}

TEST_F(TurnChecker, SeesAUniquePortalThatAsksElsewhere) {
  const wire::LnetHeader unique = unique_header(2);
  const core::shard_msg::Park parked{0, {}, unique, {0}};
  shard_msg(0, 1, parked, {asks(2, unique)});
  EXPECT_EQ(said(), "");
  shard_msg(0, 1, parked, {asks(0, unique)});
  EXPECT_EQ(said(), "portal 7: not the initiator's partition was asked");
}

TEST_F(TurnChecker, SeesTheOwnerOfAUniquePortalThatServesItself) {
  (void)unique_header(1);
  const wire::LnetHeader unique = unique_header(2);
  shard_msg(0, 1, core::shard_msg::Park{0, {}, unique, {0}},
            {to_shard(0, core::shard_msg::Matched{})});
  EXPECT_EQ(said(), "portal 7: not the initiator's partition was asked");
}

TEST_F(TurnChecker, AllowsTheOwnerOfAUniquePortalToServeItsOwnInitiator) {
  (void)unique_header(2);
  const wire::LnetHeader unique = unique_header(1);
  const core::shard_msg::Park parked{0, {}, unique, {0}};
  for (int i = 0; i < 3; ++i) shard_msg(0, 1, parked, {to_shard(0, core::shard_msg::Matched{})});
  EXPECT_EQ(said(), "");
}

TEST_F(TurnChecker, AllowsAnyPartitionWhenAPeerIsLearnt) {
  const core::shard_msg::Publish learnt{.peer_entries = {std::make_shared<const core::PeerEntry>(
                                            core::PeerEntry{{tcp(2), tcp(3)}, true})}};
  for (int i = 0; i < 3; ++i) shard_msg(0, 1, learnt, {asks(0, header()), asks(0, header())});
  EXPECT_EQ(said(), "");
}

TEST_F(TurnChecker, SeesADecisionOfAShardThatIsNotTheOwner) {
  auto [self, msg] = state(0).messages.make();
  msg->self = state(0).name(self);
  step(0, core::Tick{}, {to_shard(2, core::shard_msg::Match{0, {}, header(), msg->self, {}})});
  EXPECT_EQ(said(), "portal 4: a shard that does not own it asked for a buffer");
}

}  // namespace
}  // namespace ulnet::sim
