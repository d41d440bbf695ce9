// The whole matrix of states and events of an MD: a row deleted or added shows here.
// DESIGN.md 2.
#include "core/memory/md.h"

#include <gtest/gtest.h>

#include "base/life_cycle_fixture.h"

namespace ulnet::core {
namespace {

TEST(MdLife, HasTheseSteps) {  // spec/core-semantics.md 4.5, 4.6
  EXPECT_EQ(ulnet::test::matrix(kMdLife),
            "active: [exhausted -> retired] [abort -> aborted]\n"
            "retired: [abort -> aborted] [idle -> gone]\n"
            "aborted: [idle -> gone]\n"
            "gone:\n");
}

TEST(MdLife, WhatIsNoneOfThemHasNoName) {
  EXPECT_STREQ(to_string(MdState::kCount), "?");
  EXPECT_STREQ(to_string(MdEvent::kCount), "?");
}

}  // namespace
}  // namespace ulnet::core
