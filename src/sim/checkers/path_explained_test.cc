// Shows the checker requests that take other paths than those explained.
#include "sim/checkers/checkers.h"
#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

using ExplainedChecker = TwoNets<path_explained_checker>;

TEST_F(ExplainedChecker, SeesAnotherNid) {
  ni(tcp(1, 1)).net->sequence = 1;
  puts(tcp(1), tcp(8));
  EXPECT_EQ(said(), "");
  puts(tcp(1, 1), tcp(9, 1));
  EXPECT_EQ(said(),
            "a request to 10.0.0.8@tcp goes to 10.0.0.9@tcp1; explained: 10.0.0.1@tcp to "
            "10.0.0.8@tcp");
}

TEST_F(ExplainedChecker, SeesAnotherNi) {
  ni(tcp(1, 1)).net->sequence = 1;
  puts(tcp(1, 1), tcp(8));
  EXPECT_THAT(said(), HasSubstr("leaves by 10.0.0.1@tcp1"));
}

}  // namespace
}  // namespace ulnet::sim
