#include "fgr/hints/router_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::plan {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

const ClientSystem kClients{.name = "xe",
                            .routers = {{.host = "r0"}, {.host = "r1"}, {.host = "r2"}}};

std::vector<RouterLinks> links_in(std::string_view text, const std::vector<RouterLoad>& loads) {
  const auto map = NodeMap::read(text);
  std::vector<RankedNode> nodes;
  for (std::size_t i = 0; i < map->names().size(); ++i)
    if (map->names()[i].starts_with("n")) nodes.push_back({.node = i});
  return links_of_routers(kClients, loads, *map, nodes);
}

// A torus of 4x4x4 with a router at 0,0,0. From 1,0,0 a message arrives over the router's link
// upwards in x. From 3,1,0 it goes first in x (around, upwards), then downwards in y, and arrives
// over the link upwards in y. From 0,0,2 both directions around z are equally long, so it goes
// upwards and arrives over the link downwards. The message from the router's own place uses no
// link.
TEST(RouterLinks, AreTakenDimensionByDimension) {
  const auto links =
      links_in("torus 4x4x4\nr0 0 0 0\nn1 1 0 0\nn2 3 1 0\nn3 0 0 2\nn4 0 0 0\n", {{0, 1.0}});
  ASSERT_EQ(links.size(), 1U);
  EXPECT_THAT(links[0].loads, ElementsAre(0.25, 0, 0.25, 0, 0, 0.25));
  EXPECT_EQ(links[0].share, 1);
}

// A ring of 8, with r0 at 0 and r1 at 2, which has a quarter of the load; n1 at 7 writes to both.
// Data for r1 pass r0: they arrive over its link downwards, and go on over the one upwards.
TEST(RouterLinks, CarryTransitTraffic) {
  const auto links = links_in("torus 8\nr0 0\nr1 2\nn1 7\n", {{0, 0.75}, {1, 0.25}});
  ASSERT_EQ(links.size(), 2U);
  EXPECT_THAT(links[0].loads, ElementsAre(DoubleEq(0.25), DoubleEq(1.0)));
  EXPECT_THAT(links[1].loads, ElementsAre(DoubleEq(0), DoubleEq(0.25)));
}

TEST(RouterLinks, RoutersAtOnePlaceShareLinks) {
  const auto links =
      links_in("torus 8x8\nr0 1 1\nr2 1 1\nr1 2 2\nn1 1 2\n", {{0, 0.5}, {1, 0.25}, {2, 0.25}});
  ASSERT_EQ(links.size(), 2U);
  EXPECT_THAT(links[0].routers, ElementsAre(0, 2));
  EXPECT_THAT(links[0].place, ElementsAre(1, 1));
  EXPECT_THAT(links[0].loads, ElementsAre(0, 0, 0.75, 0));
  EXPECT_THAT(links[1].loads, ElementsAre(0, 0.25, 0, 0));
}

}  // namespace
}  // namespace ulnet::plan
