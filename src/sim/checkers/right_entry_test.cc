// RightEntry finds a message in the wrong buffer: the test changes the shard's own tables, and the
// next message shows it.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct RightEntryChecker : Lies<right_entry_checker> {
  core::Me& me_of(MdHandle md) { return *state.memory.find(md)->me; }
  /// Moves the entry to the tail of the list of these match bits.
  void file_again(MdHandle md, MatchBits bits) {
    core::Me& me = me_of(md);
    core::MatchTable& table = state.portals.find({5})->entries;
    table.remove(me, false);
    me.match = bits;
    table.insert(me, false, false);
  }
  std::string after_a_put() {
    put_to_a({7}, 10);
    (void)world.run_for(seconds(1));
    return said();
  }
};

TEST_F(RightEntryChecker, IsSilentWhenTheFirstOfTheListTakesIt) {
  attach({8}, kOpPut);
  attach({7}, kOpGet);
  attach({7}, kOpPut);
  attach({7}, kOpPut);
  EXPECT_EQ(after_a_put(), "");
}

TEST_F(RightEntryChecker, SeesAnotherOrderOfTheList) {
  const MdHandle first = attach({7}, kOpPut);
  const MdHandle second = attach({7}, kOpPut);
  file_again(first, {7});
  EXPECT_EQ(after_a_put(), "a message was taken by MD " + std::to_string(second.cookie) +
                               ", the right one is MD " + std::to_string(first.cookie));
}

TEST_F(RightEntryChecker, SeesMatchBitsThatDoNotMatch) {
  const MdHandle md = attach({8}, kOpPut);
  file_again(md, {7});
  EXPECT_EQ(after_a_put(),
            "a message was taken by MD " + std::to_string(md.cookie) + ", the right one is no MD");
}

TEST_F(RightEntryChecker, SeesABufferThatIsPassedOver) {
  const MdHandle md = attach({7}, kOpPut);
  file_again(md, {8});
  EXPECT_EQ(after_a_put(), "a message was dropped despite MD " + std::to_string(md.cookie));
}

TEST_F(RightEntryChecker, SeesAForeignSender) {
  const MdHandle md = attach({7}, kOpPut);
  const auto me =
      a.me_attach({5}, {tcp(9), Pid::any()}, {7}, {}, UnlinkMode::kUnlink, InsertPosition::kBefore);
  MdSpec spec;
  spec.fragments = {&memory, 1};
  spec.options = kOpPut;
  spec.sink = &sink;
  const MdHandle foreign = a.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
  me_of(foreign).match_id.nid = Nid::any();
  EXPECT_EQ(after_a_put(), "a message was taken by MD " + std::to_string(foreign.cookie) +
                               ", the right one is MD " + std::to_string(md.cookie));
}

TEST_F(RightEntryChecker, SeesAnOffsetThatIsWrong) {
  const MdHandle md = attach({7}, kOpPut);
  state.memory.find(md)->offset = 3;
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("and offset 3, right are -1 and 0"));
}

/// Node "a" has three partitions. Portal 4, whose owner shard is 1, has an entry there for another
/// NID of the peer than the one that sends.
struct ParkedChecker : ::testing::Test {
  ParkedChecker() {
    const auto me = a.me_attach_at(1, {4}, {tcp(3), Pid::lustre()}, {7}, {1}, UnlinkMode::kUnlink);
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = kOpPut;
    spec.sink = &sink;
    md = a.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
    EXPECT_TRUE(world.run_for(seconds(1)).reached());
  }
  /// The owner shard learns that one peer has both NIDs.
  void learns() {
    core::PeerNid& known = state.peers.use(tcp(2));
    known.peer_entry =
        std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(2), tcp(3)}, true, 9});
    known.reported = 9;
  }
  /// The owner shard gets a Match of a PUT of 40 bytes that came without a peer entry, and its
  /// match entry accepts it. Returns the checker's violation.
  std::string taken() {
    wire::LnetHeader header;
    header.src_nid = tcp(2);
    header.dest_nid = tcp(1);
    header.src_pid = Pid::lustre();
    header.payload_length = 40;
    wire::PutPart& part = header.part.emplace<wire::PutPart>();
    part.portal = 4;
    part.match_bits = 7;
    const core::ShardMsg shard_msg{core::shard_msg::Match{0, {}, header, {}, {}}};
    const core::Input input = core::FromShard{0, &shard_msg};
    const core::Actions actions;
    const ShardStep reported{a, 1, world.now(), input, actions, state};
    checker.before_step(world, reported);
    state.memory.find(md)->offset = 40;
    checker.after_step(world, reported);
    return world.violation() ? world.violation()->what : std::string();
  }
  std::vector<char> bytes = std::vector<char>(100);
  const iovec memory{bytes.data(), bytes.size()};
  Silent sink;
  World world{1};
  Checker& checker = world.add_checker(right_entry_checker());
  SimNode& a = world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}, .partitions = 3});
  core::ShardState& state = const_cast<core::ShardState&>(*a.shard_state(1));
  MdHandle md;
};

/// The owner shard finds nothing without a peer entry, parks the message, and looks again with the
/// peer entry that it has.
TEST_F(ParkedChecker, KnowsAMessageTakenByANewerPeerEntry) {
  learns();
  EXPECT_EQ(taken(), "");
}
TEST_F(ParkedChecker, SeesAnEntryForAnotherPeer) {
  EXPECT_THAT(taken(), HasSubstr("the right one is no MD"));
}

}  // namespace
}  // namespace ulnet::sim
