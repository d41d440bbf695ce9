// Lies about messages that take routes which are down.
#include "sim/checkers/down_gateway_avoided.h"

#include "sim/checkers/paths_fixture.h"

namespace ulnet::sim {
namespace {

struct DownChecker : TwoNets<DownGatewayAvoided> {
  DownChecker() {
    routes_by({tcp(3), tcp(4)});
    msg->header.dest_nid = tcp(5, 7);
  }
};

TEST_F(DownChecker, SeesARouteThatIsDown) {
  state.routes.take({.gateway = tcp(3), .usable = false});
  leaves(tcp(1), tcp(4));
  EXPECT_EQ(said(), "");
  leaves(tcp(1), tcp(3));
  EXPECT_EQ(said(), "a message to 10.0.0.5@tcp7 goes by 10.0.0.3@tcp, and that route is down");
}

TEST_F(DownChecker, SeesARouteThatIsDownForThisNet) {
  state.routes.take({.gateway = tcp(3), .lost = {{NetType::kTcp, 7}}});
  leaves(tcp(1), tcp(3));
  EXPECT_THAT(said(), HasSubstr("that route is down"));
}

TEST_F(DownChecker, DoesNotMindWhatWasChosenBeforeOrMustGoThere) {
  state.routes.take({.gateway = tcp(3), .usable = false});
  msg->started = world.now() - seconds(1);
  leaves(tcp(1), tcp(3));
  msg->started = world.now();
  msg->recovery = true;
  leaves(tcp(1), tcp(3));
  msg->recovery = false;
  msg->header.part.emplace<wire::ReplyPart>();
  leaves(tcp(1), tcp(3));
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
