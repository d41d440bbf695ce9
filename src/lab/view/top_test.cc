#include "lab/view/top.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "lab/view/view_fixture.h"

namespace ulnet::tools::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Observer::Look look_at(std::vector<ObservedNode> nodes) { return {1, std::move(nodes), {}, 0}; }

TEST(Top, ShowsThoseInTroubleFirst) {
  auto nodes = routed_nodes();
  nodes[0].nis[0].sent_per_s = nodes[1].nis[0].received_per_s = 3 << 20;
  nodes[1].nis[1].sent_per_s = nodes[2].nis[0].received_per_s = 3 << 20;
  nodes[2].nis[0].up = false;
  nodes[2].routes[0].up = false;
  const std::string text = top_text("rack", look_at(nodes), {.columns = 200, .rows = 30});
  EXPECT_THAT(text, HasSubstr("rack: 3 of 3 nodes up, goodput 3.0 MiB/s\n"));
  EXPECT_THAT(text, HasSubstr("10.1.0.1@tcp1 down; 1 of 1 routes down\n"));
  EXPECT_LT(text.find("\nserver"), text.find("\nclient"));
}

TEST(Top, SaysWhyANodeIsNotUp) {
  auto nodes = routed_nodes();
  nodes[1] = {};
  nodes[1].name = "router";
  nodes[1].state = NodeState::kGone;
  nodes[1].trouble = "no node answers";
  const std::string text = top_text("rack", look_at(nodes), {.columns = 200, .rows = 30});
  EXPECT_THAT(text, HasSubstr("2 of 3 nodes up, goodput 0\n"));
  EXPECT_THAT(text, HasSubstr("no node answers\n"));
}

TEST(Top, NamesAreShownBesideNids) {
  Observer::Look look = look_at(routed_nodes());
  look.happenings.push_back(
      {1, "client", {{"type", "route"}, {"nid", "10.0.0.9@tcp"}, {"text", "the gateway is down"}}});
  EXPECT_THAT(top_text("rack", look, {.columns = 200, .rows = 30}),
              HasSubstr("10.0.0.9@tcp (router) the gateway is down\n"));
}

TEST(Top, WritesNoControlCharacters) {
  auto nodes = routed_nodes();
  nodes[0].name = "a\x1b[2Jb\n";
  const std::string text = top_text("rack", look_at(nodes), {.columns = 200, .rows = 30});
  EXPECT_THAT(text, HasSubstr("a?[2Jb?"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Top, FitsTheScreen) {
  std::vector<ObservedNode> nodes;
  for (int i = 0; i < 200; ++i) nodes.push_back(node_with("n" + std::to_string(i), {}));
  Observer::Look look = look_at(nodes);
  for (std::uint64_t i = 0; i < 20; ++i)
    look.happenings.push_back(
        {i, "n1", {{"type", "ni"}, {"nid", "1.1.1.1@tcp"}, {"text", "is é down"}}});
  for (const std::size_t rows : {1U, 3U, 10U, 24U, 500U})
    for (const std::size_t columns : {1U, 10U, 80U}) {
      const std::string text = top_text("rack", look, {.columns = columns, .rows = rows});
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(rows));
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), columns + 1) << line;  // é has two bytes
    }
  EXPECT_THAT(top_text("rack", look, {.columns = 80, .rows = 24}), HasSubstr("more nodes\n"));
  EXPECT_THAT(top_text("rack", look, {.columns = 80, .rows = 24}),
              HasSubstr("1.1.1.1@tcp is é down\n"));
}

}  // namespace
}  // namespace ulnet::tools::lab
