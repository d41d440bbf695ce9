#include "fgr/hints/node_map.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lnet/base/rng.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string map_mistakes(std::string_view text) {
  const auto map = NodeMap::read(text);
  std::string all;
  if (!map)
    for (const conf::Problem& mistake : map.error())
      all += fmt::format("{}:{}: {}\n", mistake.place.line, mistake.place.column, mistake.reason);
  return all;
}

TEST(NodeMap, ATorusTakesTheShorterWayAround) {
  const auto map = NodeMap::read(
      "# a machine\n\n torus 8x4x1  # sizes\n"
      "a 0 0 0\nb 1 0 0\r\nc 7 0 0\nd 4 2 0\ne\t5 3 0 # the last one\nf 0 0 0");
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->is_torus());
  EXPECT_THAT(map->names(), ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(map->distances_from(0), ElementsAre(0, 1, 1, 6, 4, 0));
  EXPECT_EQ(map->find("d"), 3U);
  EXPECT_FALSE(map->find("g"));
}

TEST(NodeMap, AGraphTakesTheLightestPath) {
  const auto map = NodeMap::read("graph\na b\nb c 5\na d 2\nd c 2\nx y\n");
  ASSERT_TRUE(map);
  EXPECT_FALSE(map->is_torus());
  EXPECT_THAT(map->names(), ElementsAre("a", "b", "c", "d", "x", "y"));
  constexpr std::uint32_t kNever = NodeMap::kUnreachable;
  EXPECT_THAT(map->distances_from(0), ElementsAre(0, 1, 4, 2, kNever, kNever));
  EXPECT_THAT(map->distances_from(2), ElementsAre(4, 5, 0, 2, kNever, kNever));
}

TEST(NodeMap, ATorusAsAGraphHasItsDistances) {
  std::string torus = "torus 5x4\n", graph = "graph\n";
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 4; ++y) {
      torus += fmt::format("n{}{} {} {}\n", x, y, x, y);
      graph +=
          fmt::format("n{}{} n{}{}\nn{}{} n{}{}\n", x, y, (x + 1) % 5, y, x, y, x, (y + 1) % 4);
    }
  const auto closed = NodeMap::read(torus), searched = NodeMap::read(graph);
  ASSERT_TRUE(closed && searched);
  for (const std::string& from : closed->names()) {
    const auto a = closed->distances_from(*closed->find(from));
    const auto b = searched->distances_from(*searched->find(from));
    for (const std::string& to : closed->names())
      EXPECT_EQ(a[*closed->find(to)], b[*searched->find(to)]) << from << " to " << to;
  }
}

TEST(NodeMap, RandomWeightsMatchBellmanFord) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    std::vector<std::array<std::uint32_t, 3>> links;
    std::string text = "graph\n";
    for (int i = 0; i < 40; ++i) {
      const auto a = static_cast<std::uint32_t>(rng.below(20));
      const auto b = static_cast<std::uint32_t>(rng.below(20));
      const auto weight = static_cast<std::uint32_t>(1 + rng.below(30));
      if (a == b) continue;
      links.push_back({a, b, weight});
      text += fmt::format("{} {} {}\n", a, b, weight);
    }
    const auto map = NodeMap::read(text);
    ASSERT_TRUE(map);
    std::vector<std::uint64_t> least(20, NodeMap::kUnreachable);
    least[links[0][0]] = 0;
    for (int round = 0; round < 20; ++round)
      for (const auto& [a, b, weight] : links) {
        least[b] = std::min(least[b], least[a] + weight);
        least[a] = std::min(least[a], least[b] + weight);
      }
    const auto distances = map->distances_from(*map->find(std::to_string(links[0][0])));
    for (std::size_t i = 0; i < map->names().size(); ++i)
      EXPECT_EQ(distances[i],
                std::min<std::uint64_t>(least[std::stoul(map->names()[i])], NodeMap::kUnreachable))
          << "seed " << seed;
  }
}

TEST(NodeMap, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(map_mistakes(""), HasSubstr("1:1: there is no first line"));
  EXPECT_THAT(map_mistakes("a 1 2 3\n"), HasSubstr("1:1: the first line is"));
  for (const char* sizes : {"", "x", "4x", "0x4", "4x-1", "70000x1", "4y4", "1x1x1x1x1x1x1"})
    EXPECT_THAT(map_mistakes(fmt::format("torus {}\na 0 0 0\n", sizes)), HasSubstr("1:")) << sizes;
  EXPECT_EQ(map_mistakes("torus 4x4\na 0 4\nb 0\nc 0 0 0\nd 0 x\ne 0 0\ne 1 1\n"),
            "2:5: '4' is not from 0 to 3\n"
            "3:1: a line is HOST and 2 numbers\n"
            "4:1: a line is HOST and 2 numbers\n"
            "5:5: 'x' is not from 0 to 3\n"
            "7:1: 'e' is there already\n");
  EXPECT_EQ(map_mistakes("graph\na\na b 0\na b 1 2\na a\nb c 1001\n"),
            "2:1: a line is a link: A B, or A B WEIGHT\n"
            "3:5: '0' is no weight: 1 to 1000\n"
            "4:1: a line is a link: A B, or A B WEIGHT\n"
            "5:3: a link leads to another node\n"
            "6:5: '1001' is no weight: 1 to 1000\n");
  EXPECT_EQ(map_mistakes("\xef\xbb\xbfgraph\na b\n"), "") << "a byte order mark";
  EXPECT_THAT(map_mistakes("graph\na \x1b[31m\n"),
              HasSubstr("2:3: '?[31m' has control characters"));
  EXPECT_THAT(map_mistakes("graph\n" + std::string(256, 'n') + " b\n"), HasSubstr("255 bytes"));
  std::string many = "graph\n";
  for (int i = 0; i < 100; ++i) many += "a\n";
  EXPECT_EQ(std::ranges::count(map_mistakes(many), '\n'), 20)
      << "the reader reports at most 20 mistakes";
}

}  // namespace
}  // namespace ulnet::plan
