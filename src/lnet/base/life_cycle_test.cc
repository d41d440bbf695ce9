// Life cycles: transitions that the table has, and transitions that it lacks. DESIGN.md 2.
#include <gtest/gtest.h>

#include "lnet/base/life_cycle_fixture.h"

namespace ulnet {
namespace {

enum class Door : std::uint8_t { kOpen, kShut, kGone, kCount };
enum class Deed : std::uint8_t { kPush, kBurn, kCount };
const char* to_string(Door door) {
  return door == Door::kOpen ? "open" : door == Door::kShut ? "shut" : "gone";
}
const char* to_string(Deed deed) { return deed == Deed::kPush ? "push" : "burn"; }

constexpr LifeCycle<Door, Deed> kDoorLifeCycle({
    {Door::kOpen, Deed::kPush, Door::kShut},
    {Door::kShut, Deed::kPush, Door::kOpen},
    {Door::kShut, Deed::kBurn, Door::kGone},
});

TEST(LifeCycle, AllowsWhatItsTableSays) {
  EXPECT_EQ(test::matrix(kDoorLifeCycle),
            "open: [push -> shut]\n"
            "shut: [push -> open] [burn -> gone]\n"
            "gone:\n");
}

TEST(LifeCycleDeathTest, AnEventWithoutARowIsAProgrammerError) {
  EXPECT_DEATH(kDoorLifeCycle.after(Door::kOpen, Deed::kBurn), "broken");
}

}  // namespace
}  // namespace ulnet
