#include "lab/view/path_finder.h"

#include <gmock/gmock.h>

#include <map>

#include "lab/view/view_fixture.h"

namespace ulnet::tools::lab {
namespace {

/// Control APIs that answer from a table: the next hop of each node, and the NI that it sends from.
struct FakeControlApis {
  struct Hop {
    std::string source, hop, error;
  };
  std::map<std::string, Hop> hops;
  std::vector<std::string> asked;

  WayFound way(const std::vector<ObservedNode>& nodes, const std::string& from,
               const std::string& to) {
    return find_way(nodes, from, to,
                    [&](const std::string& node, const std::string& path) -> Result<ctl::Tree> {
                      asked.push_back(node + " " + path);
                      const Hop& hop = hops[node];
                      if (!hop.error.empty()) return fail(-EIO, hop.error);
                      if (hop.hop.empty())
                        return ctl::Tree{{"path", {{"errno", -113}, {"descr", "no way"}}}};
                      return ctl::Tree{{"path", {{"source", hop.source}, {"hop", hop.hop}}}};
                    });
  }
};

TEST(PathFinder, GoesFromNodeToNode) {
  FakeControlApis apis{{{"client", {"10.0.0.1@tcp", "10.0.0.9@tcp", {}}},
                        {"router", {"10.1.0.9@tcp1", "10.1.0.1@tcp1", {}}}},
                       {}};
  const WayFound way = apis.way(routed_nodes(), "client", "server");
  EXPECT_EQ(way.trouble, "");
  ASSERT_EQ(way.legs.size(), 2U);
  EXPECT_EQ(way.legs[0].node, "client");
  EXPECT_EQ(way.legs[0].to, "router");
  EXPECT_EQ(way.legs[1].source, "10.1.0.9@tcp1");
  EXPECT_EQ(way.legs[1].to, "server");
  EXPECT_THAT(apis.asked, testing::ElementsAre("client /v1/path?to=10.1.0.1%40tcp1",
                                               "router /v1/path?to=10.1.0.1%40tcp1"));
}

TEST(PathFinder, SaysWhyAWayEnds) {
  const auto nodes = routed_nodes();
  FakeControlApis apis;
  EXPECT_EQ(apis.way(nodes, "client", "nobody").trouble, "there is no such node");
  EXPECT_EQ(apis.way(nodes, "client", "client").trouble, "both ends are the same node");
  EXPECT_EQ(apis.way(nodes, "client", "server").trouble, "client has no path: no way");
  apis.hops["client"] = {{}, {}, "it has ended"};
  EXPECT_EQ(apis.way(nodes, "client", "server").trouble, "client: it has ended");
  apis.hops["client"] = {"10.0.0.1@tcp", "10.9.9.9@tcp", {}};
  EXPECT_EQ(apis.way(nodes, "client", "server").trouble,
            "10.9.9.9@tcp is not one of the watched nodes");
  apis.hops["client"] = {"10.0.0.1@tcp", "10.0.0.9@tcp", {}};
  apis.hops["router"] = {"10.0.0.9@tcp", "10.0.0.1@tcp", {}};
  EXPECT_EQ(apis.way(nodes, "client", "server").trouble, "the path is a loop");
  auto apart = nodes;
  apart[0].routes.clear();
  EXPECT_EQ(apis.way(apart, "client", "server").trouble,
            "no net and no route of client leads to server");
}

}  // namespace
}  // namespace ulnet::tools::lab
