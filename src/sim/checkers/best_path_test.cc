// Shows the checker messages that take wrong routes. sent_again_test.cc does so for the NIs and
// NIDs of neighbours.
#include "sim/checkers/checkers.h"
#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

/// The routes to tcp7 lead through the peer with the hosts 8 on tcp and 9 on tcp1, and, if that is
/// not usable, through 3.
struct RouteChecker : TwoNets<best_path_checker> {
  RouteChecker() {
    auto list = std::make_shared<core::RouteList>();
    EXPECT_TRUE(list->add({{NetType::kTcp, 7}, tcp(8)}, 9));
    EXPECT_TRUE(list->add({{NetType::kTcp, 7}, tcp(3), core::kHopsUndefined, 1}, 9));
    state.routes.apply(list, true, state.peers);
    state.peers.use(tcp(5, 7)).discovered = true;
    state.routes.saw_source(tcp(5, 7), ni(tcp(1)).config.id, 9);
  }
};

TEST_F(RouteChecker, SeesARouteOfLowerPriority) {
  puts(tcp(1), tcp(8), tcp(5, 7));
  EXPECT_EQ(said(), "");
  puts(tcp(1), tcp(3), tcp(5, 7));
  EXPECT_THAT(said(), HasSubstr("there is a better route"));
}

/// The gateway's other NID may be the better one (spec/multirail.md 3.2 A, 3.3.2).
TEST_F(RouteChecker, AllowsAGatewayThatIsAlsoOnAFailedNet) {
  ni(tcp(1, 1)).fatal = true;
  puts(tcp(1), tcp(3), tcp(5, 7));
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
