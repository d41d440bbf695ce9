// RightEntry sees a message in the wrong buffer: the test changes the shard's own tables, and the
// next message shows it.
#include "sim/checkers/right_entry.h"

#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct RightEntryChecker : Lies<RightEntry> {
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
            "a message was taken by MD " + std::to_string(md.cookie) + ", the right one is none");
}

TEST_F(RightEntryChecker, SeesABufferThatIsPassedOver) {
  const MdHandle md = attach({7}, kOpPut);
  file_again(md, {8});
  EXPECT_EQ(after_a_put(), "a message was dropped beside MD " + std::to_string(md.cookie));
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

}  // namespace
}  // namespace ulnet::sim
