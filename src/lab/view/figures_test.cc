#include "lab/view/figures.h"

#include <gtest/gtest.h>

#include "lab/view/seen_topology.h"
#include "lab/view/view_fixture.h"

namespace ulnet::tools::lab {
namespace {

TEST(LiveFigures, AreBytesOfRailsAndWhatIsDown) {
  auto nodes = routed_nodes();
  const Topology topology = seen_topology(nodes);
  nodes[0].nis[0].sent = 3 << 20;
  nodes[0].nis[0].received = 5 << 20;
  nodes[1].nis[0].received = nodes[1].nis[1].sent = 7 << 20;  // bytes that the router only forwards
  nodes[1].nis[1].up = false;
  nodes[2].state = NodeState::kGone;
  const Figures figures = figures_of(topology, nodes);
  EXPECT_EQ(figures.rails.size(), 3U);  // without those of the node that is gone
  EXPECT_EQ(figures.rails.at({0, 0}).sent, 3U << 20);
  EXPECT_EQ(figures.rails.at({0, 0}).received, 5U << 20);
  EXPECT_TRUE(figures.rails.at({1, 0}).up);
  EXPECT_FALSE(figures.rails.at({1, 1}).up);
  EXPECT_EQ(figures.marks.at(2), "gone");
  EXPECT_EQ(figures.note, "2 of 3 nodes up, 5.24 MB of payload received by end nodes");
}

}  // namespace
}  // namespace ulnet::tools::lab
