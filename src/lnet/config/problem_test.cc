#include "lnet/config/problem.h"

#include <gtest/gtest.h>

namespace ulnet::conf {
namespace {

TEST(Problem, IsPrintedWithThePlaceThatIsKnown) {
  Problem problem{{3, 5}, "invalid key 'x'"};
  problem.hint = "write y";
  EXPECT_EQ(to_string(problem), "line 3, column 5: invalid key 'x'") << "without the hint";
  EXPECT_EQ(lines_of(in_file({problem, {{}, "no text"}}, "a.yaml")),
            "a.yaml:3:5: invalid key 'x'\na.yaml: no text\n");
  problem.place = {};
  EXPECT_EQ(to_string(problem), "invalid key 'x'");
}

TEST(Problem, ANoteIsNoError) {
  EXPECT_EQ(to_string(Problem{}.severity), "error");
  EXPECT_EQ(to_string(note({1, 2}, "ignored").severity), "note");
}

}  // namespace
}  // namespace ulnet::conf
