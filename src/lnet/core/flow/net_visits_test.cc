#include "lnet/core/flow/net_visits.h"

#include <gtest/gtest.h>

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {

using std::chrono::seconds;

namespace {

struct Visited : Routed {
  /// The router's last note about itself.
  std::string said() const {
    std::string last;
    for (const Note& note : r.notes)
      if (note.about == Note::About::kRouter) last = to_string(note);
    return last;
  }
  bool up(const Nid& nid) {
    for (const call::NiRow& row : show(r).nis)
      if (row.nid == nid) return row.stats.up;
    return false;
  }
};

}  // namespace

TEST(NetVisits, AFreshRouterIsUp) {  // in LNet it is down at first: spec/multirail.md 9.5
  Visited p;
  EXPECT_TRUE(p.up(tcp(3)));
  EXPECT_TRUE(p.up(tcp(3, 1)));
}

TEST(NetVisits, ANetWithoutKnownPeersIsNotDown) {
  Visited p;
  p.r.config->nis.push_back(p.r.config->nis.at(2));
  p.r.config->nis.back().id = {77};
  p.r.config->nis.back().nid = tcp(3, 5);
  p.configure(p.r);
  p.tick_for(seconds(300));
  EXPECT_TRUE(p.up(tcp(3, 5)));
}

TEST(NetVisits, APeerIsPingedBeforeItsNetIsDown) {  // spec/multirail.md 9.5
  Visited p;
  p.tick_for(seconds(2));
  p.b.config->routes = RouteList::none();  // b does not check the router any more
  p.configure(p.b);
  p.tick_for(seconds(400));
  EXPECT_TRUE(p.up(tcp(3, 1))) << "b has answered";
}

// spec/core-semantics.md 8.3; spec/multirail.md 9.5
TEST(NetVisits, ASilentNetIsDownAndIsReportedToPeers) {
  Visited p;
  p.tick_for(seconds(2));
  p.b.hold_sends = true;
  p.b.config->routes = RouteList::none();
  p.configure(p.b);
  p.tick_for(seconds(110 + 50 + 5));
  EXPECT_FALSE(p.up(tcp(3, 1)));
  EXPECT_EQ(p.said(), "nobody answers this router on the net tcp1");  // case 16 of the field
  EXPECT_TRUE(p.up(tcp(3)));
  EXPECT_EQ(p.call(p.a, call::ShowRoutes{}).routes.at(0).trouble, RouteTrouble::kFarDown);
  p.b.hold_sends = false;
  p.b.sends.clear();
  p.route(p.b, kNear, tcp(3, 1));  // b checks the router again
  p.tick_for(seconds(2));
  EXPECT_TRUE(p.up(tcp(3, 1)));
  EXPECT_EQ(p.said(), "this router is reached again on the net tcp1");
  EXPECT_TRUE(p.call(p.a, call::ShowRoutes{}).routes.at(0).up());
}

TEST(NetVisits, OnlyRoutersAreVisited) {
  Visited p;
  p.turn_off();
  p.b.hold_sends = true;
  p.b.config->routes = RouteList::none();
  p.configure(p.b);
  p.tick_for(seconds(300));
  EXPECT_TRUE(p.up(tcp(3, 1)));
}

}  // namespace ulnet::core::test
