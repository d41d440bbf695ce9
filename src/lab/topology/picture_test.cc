#include "lab/topology/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lab/topology/addresses.h"
#include "lab/topology/picture_layout.h"
#include "lab/topology/spread.h"
#include "lab/topology/topology_fixture.h"
#include "lab/topology/topology_json.h"

namespace ulnet::tools::lab {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

bool apart(const NodeBox& a, const NodeBox& b) {
  return a.left + a.width <= b.left || b.left + b.width <= a.left || a.top + a.height <= b.top ||
         b.top + b.height <= a.top;
}

/// Checks that every node is in one box, that every rail has a line from its box to its lane, and
/// that nothing overlaps or is outside.
void is_sound(const Topology& topology) {
  const PictureLayout layout = lay_out(topology, {});
  std::vector<int> seen(topology.nodes.size());
  std::size_t rails = 0;
  for (const NodeBox& box : layout.boxes) {
    for (const NodeNumber node : box.nodes) ++seen[node];
    rails += topology.nodes[box.nodes.front()].rails.size();
    EXPECT_GE(box.left, 0);
    EXPECT_LE(box.left + box.width, layout.width);
    EXPECT_LE(box.top + box.height, layout.bottom);
    for (const NodeBox& other : layout.boxes) EXPECT_TRUE(&box == &other || apart(box, other));
    for (const LanePiece& piece : layout.pieces)
      EXPECT_TRUE(box.top + box.height <= piece.top || piece.top + PictureLayout::kLane <= box.top);
  }
  EXPECT_THAT(seen, testing::Each(1));
  EXPECT_EQ(layout.lines.size(), rails);
  for (const RailLine& line : layout.lines) {
    const LanePiece& piece = layout.pieces[line.piece];
    const Rail& rail = topology.nodes[layout.boxes[line.box].nodes.front()].rails[line.rail];
    EXPECT_EQ(piece.net, rail.net);
    EXPECT_EQ(piece.at_switch, rail.at_switch);
    EXPECT_GE(line.to.x, piece.left);
    EXPECT_LE(line.to.x, piece.left + piece.width);
  }
  for (const LanePiece& one : layout.pieces)
    for (const LanePiece& two : layout.pieces)
      EXPECT_TRUE(&one == &two || one.level != two.level || one.left + one.width <= two.left ||
                  two.left + two.width <= one.left);
}

TEST(TopologyPicture, EachExampleIsSoundAndNamesEveryNid) {
  for (Topology topology : topologies_in(ULNET_SOURCE_DIR)) {
    is_sound(topology);
    ASSERT_TRUE(give_addresses(topology, loopback_base(16)));
    const std::string svg = draw_topology(topology);
    EXPECT_THAT(svg, HasSubstr(">" + topology.name + "<"));
    for (const Net& net : topology.nets) EXPECT_THAT(svg, HasSubstr(">" + net.id.to_string()));
    const PictureLayout layout = lay_out(topology, {});
    for (const NodeBox& box : layout.boxes) {
      if (box.folded) continue;
      for (const Rail& rail : topology.nodes[box.nodes.front()].rails)
        EXPECT_THAT(svg, HasSubstr(">" + topology.nid_of(rail).to_string() + "<"));
    }
  }
}

RC_GTEST_PROP(TopologyPicture, AnyTopologyIsSound, ()) {
  is_sound(random_topology());
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(TopologyPicture, FoldsLargeGroups) {
  const Topology topology = topology_of(
      "nodes:\n    c[1-190]: tcp\n    r[1-4]: {nets: [tcp, tcp1], routing: yes}\n"
      "    s[1-8]: tcp1\n");
  is_sound(topology);
  const PictureLayout layout = lay_out(topology, {});
  ASSERT_EQ(layout.boxes.size(), 13U);
  EXPECT_TRUE(layout.boxes[0].folded);
  EXPECT_EQ(layout.boxes[0].nodes.size(), 190U);
  EXPECT_THAT(draw_topology(topology), HasSubstr(">c: 190 nodes<"));
  EXPECT_LT(layout.width, 2000);
}

TEST(TopologyPicture, ShowsFigures) {
  Topology topology = topology_of("nodes: {a: tcp, b: tcp, c: tcp}\n");
  ASSERT_TRUE(give_addresses(topology, loopback_base(16)));
  const std::string plain = draw_topology(topology);
  EXPECT_THAT(plain, Not(HasSubstr("MB")));
  Figures figures;
  figures.note = "while <b> was dead";
  figures.rails[{0, 0}] = {.sent = 1'000'000, .received = 500'000};
  figures.rails[{1, 0}] = {.up = false};
  figures.marks[2] = "killed";
  const std::string svg = draw_topology(topology, figures);
  EXPECT_THAT(svg, HasSubstr("127.16.0.1@tcp  1.50 MB<"));
  EXPECT_THAT(svg, HasSubstr("stroke-width=\"9\"")) << "the rail with the most bytes";
  EXPECT_THAT(svg, HasSubstr("127.16.0.2@tcp  0 B, down<"));
  EXPECT_THAT(svg, HasSubstr(">killed<"));
  EXPECT_THAT(svg, HasSubstr("while &lt;b&gt; was dead"));
  EXPECT_EQ(svg, draw_topology(topology, figures));
  figures.note = std::string(40, 'a') + " " + std::string(40, 'b');
  EXPECT_THAT(draw_topology(topology, figures), HasSubstr(">" + std::string(40, 'b') + "<"));
}

TEST(LabSpread, KeepsDistancesAndMovesLittle) {
  EXPECT_THAT(spread({{10, 4}, {30, 4}}, 2, 0, 100), ElementsAre(DoubleEq(8), DoubleEq(28)));
  EXPECT_THAT(spread({{10, 4}, {10, 4}}, 2, 0, 100), ElementsAre(DoubleEq(5), DoubleEq(11)));
  EXPECT_THAT(spread({{1, 4}, {1, 4}}, 2, 0, 100), ElementsAre(DoubleEq(0), DoubleEq(6)));
  EXPECT_THAT(spread({{99, 4}, {99, 4}}, 2, 0, 100), ElementsAre(DoubleEq(90), DoubleEq(96)));
  EXPECT_TRUE(spread({}, 2, 0, 100).empty());
}

TEST(TopologyJson, HasEverythingResolved) {
  Topology topology = topology_of(
      "about: x\nnets: {tcp: {rate: 1gbit}}\n"
      "nodes:\n    c[1-2]: tcp\n    r: {nets: [tcp, tcp1], routing: yes}\n    s: tcp1\n");
  const auto json = topology_json(topology);
  EXPECT_EQ(json["nodes"][1]["name"], "c2");
  EXPECT_EQ(json["nodes"][1]["group"], "c");
  EXPECT_EQ(json["nodes"][1]["rails"][0]["rate"], 1'000'000'000);
  EXPECT_EQ(json["nodes"][1]["routes"][0],
            (nlohmann::json{{"net", "tcp1"}, {"gateway", "r:0"}, {"hops", 1}, {"priority", 0}}));
  EXPECT_FALSE(json["nodes"][0]["rails"][0].contains("nid"));
  ASSERT_TRUE(give_addresses(topology, loopback_base(16)));
  EXPECT_EQ(topology_json(topology)["nodes"][3]["rails"][0]["nid"], "127.16.1.2@tcp1");
}

}  // namespace
}  // namespace ulnet::tools::lab
