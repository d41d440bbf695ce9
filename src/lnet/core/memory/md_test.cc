// The whole matrix of states and events of an MD: a row that is deleted or added fails this test.
// DESIGN.md 2.
#include "lnet/core/memory/md.h"

#include <gtest/gtest.h>

#include <array>

#include "lnet/base/life_cycle_fixture.h"

namespace ulnet::core {
namespace {

TEST(MdLifeCycle, HasTheseSteps) {  // spec/core-semantics.md 4.5, 4.6
  EXPECT_EQ(ulnet::test::matrix(kMdLifeCycle),
            "active: [exhausted -> retired] [abort -> aborted]\n"
            "retired: [abort -> aborted] [idle -> gone]\n"
            "aborted: [idle -> gone]\n"
            "gone:\n");
}

TEST(MdLifeCycle, OtherValuesHaveNoName) {
  EXPECT_STREQ(to_string(MdState::kCount), "?");
  EXPECT_STREQ(to_string(MdEvent::kCount), "?");
}

TEST(OnePiece, LiesInOneFragment) {
  std::array<std::byte, 10> memory{};
  const iovec fragments[] = {{memory.data(), 4}, {nullptr, 0}, {memory.data() + 4, 6}};
  const auto piece = [&](std::uint32_t offset, std::uint32_t length) {
    return one_piece({fragments, 3, offset, length});
  };
  EXPECT_TRUE(piece(3, 0)->empty());
  for (const std::uint32_t offset : {0U, 1U, 3U, 4U, 9U})
    for (std::uint32_t length = 1; offset + length <= 10; ++length) {
      const auto found = piece(offset, length);
      const bool fits = offset >= 4 || offset + length <= 4;
      ASSERT_EQ(found.has_value(), fits) << offset << "+" << length;
      if (!fits) continue;
      EXPECT_EQ(found->data(), memory.data() + offset);
      EXPECT_EQ(found->size(), length);
    }
  EXPECT_FALSE(piece(10, 1)) << "past the end";
}

}  // namespace
}  // namespace ulnet::core
