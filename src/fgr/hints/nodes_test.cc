#include "fgr/hints/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ulnet::tools::fgr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Nodes, AreNamedAsBatchSystemsDoIt) {
  EXPECT_THAT(
      *node_names("nid[00010-00012,00020],nid00040 x\n# none of these\ny # nor this\n,z", 10),
      ElementsAre("nid00010", "nid00011", "nid00012", "nid00020", "nid00040", "x", "y", "z"));
  EXPECT_THAT(node_names("", 10).error().reason, HasSubstr("no name"));
  EXPECT_THAT(node_names("# nothing", 10).error().reason, HasSubstr("no name"));
  EXPECT_EQ(node_names("n[1-6],m[1-6]", 10).error().code, -E2BIG);
  EXPECT_FALSE(node_names("n[1-", 10));
  const auto twice = node_names("n[1-3,2]", 10);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().reason, "'n[1-3,2]': 2 is there twice: write each number once");
  EXPECT_FALSE(node_names("n[1-999999999]", 10));
}

TEST(Nodes, AreLookedUpInTheMap) {
  const auto map = plan::NodeMap::read("torus 9\nnid00001 1\nnid00002 2\nr0 0\nc1 3\n");
  ASSERT_TRUE(map);
  EXPECT_THAT(*nodes_in(*map, {"nid00002", "nid00001", "nid00002"}), ElementsAre(1, 0));
  EXPECT_THAT(nodes_in(*map, {"nid0002"}).error().reason, HasSubstr("did you mean 'nid00002'?"));
  plan::Site site;
  site.clients.push_back(
      {.name = "xe", .routers = {{.host = "r0"}, {.host = "r1", .physical = "c1"}}});
  EXPECT_THAT(nodes_but_routers(*map, site), ElementsAre(0, 1));
}

}  // namespace
}  // namespace ulnet::tools::fgr
