// Lies about what nodes have counted of each other's messages.
#include "sim/checkers/both_ends_agree.h"

#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct EndsChecker : Lies<BothEndsAgree> {
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

TEST_F(EndsChecker, DoesNotMindWhatHasGone) {
  --traffic().received.put;
  step(core::Tick{}, {core::Drained{ni}});
  checker.at_rest(world);
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
