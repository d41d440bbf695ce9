// Shared by tests of a plan's pictures: plans, and the rules of all pictures.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fgr/plan/cables.h"
#include "fgr/site/new_site.h"
#include "fgr/site/site_file.h"
#include "text/chart/svg_check_fixture.h"
#include "text/chart/svg_geometry_fixture.h"

namespace ulnet::tools::fgr {

/// Returns the site files in a folder.
inline std::vector<std::filesystem::path> sites_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

inline plan::Plan plan_of_site(const std::filesystem::path& file) {
  auto plan = plan_of_file(file);
  EXPECT_TRUE(plan) << conf::lines_of(plan.error());
  return plan.value_or(plan::Plan{});
}

inline plan::Plan plan_of(const std::string& text) {
  auto site = read_site(text);
  EXPECT_TRUE(site) << site.error().front().reason << "\n" << text;
  auto plan = plan::make_plan(site ? *site : plan::Site{});
  EXPECT_TRUE(plan) << plan.error().front().reason << "\n" << text;
  return plan.value_or(plan::Plan{});
}

inline plan::Plan plan_of_ssus(std::uint32_t ssus) {
  return plan_of(*new_site({.ssus = ssus,
                            .cluster = "snx11001",
                            .net = {NetType::kO2ib, 6000},
                            .first_router = "10.10.104.1"}));
}

/// Several client systems and file systems, at switches with any number of hosts; routers have one
/// cable or two.
inline plan::Plan random_plan(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random() % (most - least + 1));
  };
  const std::uint32_t clients = pick(1, 4), systems = pick(1, 3), routers = pick(1, 5);
  std::vector<std::uint32_t> switches, groups;
  for (std::uint32_t f = 0; f < systems; ++f) switches.push_back(pick(1, 9));
  for (std::uint32_t f = 0; f < systems; ++f) groups.push_back(pick(1, 4));
  std::string text = fmt::format("about: seed {}\nclients:\n", seed);
  for (std::uint32_t c = 0; c < clients; ++c) {
    text += fmt::format("    {}{}:\n        net: tcp{}\n        addresses: \"10.{}.*.*\"\n",
                        std::string(pick(1, 20), 'c'), c, c + 1, c + 1);
    text += "        GB per s: 5\n        routers:\n";
    const bool two = pick(0, 1) == 1;
    for (std::uint32_t f = 0; f < systems; ++f)
      for (std::uint32_t s = 0; s < switches[f]; ++s) {
        const std::uint32_t last = groups[f] * routers, net = 20 * f + 10 + s;
        const std::string address =
            two ? fmt::format("[\"10.{0}.{1}.[1-{2}]\", \"10.{3}.{1}.[1-{2}]\"]", 50 + c, net, last,
                              100 + c)
                : fmt::format("\"10.{}.{}.[1-{}]\"", 50 + c, net, last);
        text += fmt::format(
            "            - {{host: \"r{}-{}-{}-[1-{}]\", nid: \"10.{}.{}.[1-{}]\", address: {}, "
            "switch: f{}s{}, file system: f{}, for: both}}\n",
            c, f, s, last, c + 1, net, last, address, f, s, f);
      }
  }
  text += "file systems:\n";
  for (std::uint32_t f = 0; f < systems; ++f) {
    text += fmt::format(
        "    f{}:\n        net: o2ib{}\n        groups by: switches\n        GB per s: 3\n"
        "        OSSs per group: 3\n        routers per group: {}\n        servers:\n",
        f, 1000 * (f + 1), routers);
    text += fmt::format(
        "            - {{host: mds{}, role: mds, address: 10.{}.1.1, switch: f{}s0, rack: m}}\n", f,
        200 + f, f);
    for (std::uint32_t s = 0; s < switches[f]; ++s)
      text += fmt::format(
          "            - {{host: \"oss{}-{}-[1-{}]\", address: \"10.{}.{}.[1-{}]\", switch: "
          "f{}s{}, "
          "rack: R{}}}\n",
          f, s, 3 * groups[f], 200 + f, 10 + s, 3 * groups[f], f, s, s / 2);
  }
  return plan_of(text);
}

/// Makes a fabric in which each cable is plugged in as planned, at the next port of its switch.
/// Switches have one chip or two; a second cable of a host is at a second adapter, or at a second
/// port.
inline void plug_in(plan::Plan& plan, bool chips, bool adapters) {
  struct Node {
    std::size_t number = 0;
    std::uint32_t cables = 0;
  };
  using Nodes = std::map<std::string, Node>;
  Nodes switches, hosts;
  const auto next = [](Nodes& nodes, const std::string& name) {
    Node& node = nodes.emplace(name, Node{nodes.size(), 0}).first->second;
    ++node.cables;
    return node;
  };
  const auto guid = [](plan::Guid first, const Node& node, std::uint32_t part) {
    return plan::guid_text(first + 256 * node.number + part);
  };
  plan.fabric.emplace();
  for (const plan::Cable& cable : plan::cables_of(plan, plan::CableOrder::kRouters)) {
    const Node at = next(switches, cable.at_switch), host = next(hosts, cable.host);
    plan.fabric->cables.push_back(
        {.host = cable.host,
         .guid = guid(0x2c9'0300'0000'0000, host, adapters ? host.cables : 0),
         .switch_guid = guid(0x2c9'0200'0000'0000, at, chips ? at.cables % 2 : 0),
         .switch_name = cable.at_switch,
         .switch_port = at.cables,
         .adapter_port = adapters ? 1 : host.cables,
         .rate = {}});
  }
}

/// Returns the number of sheets in the title of the first sheet; 0: no title has it.
inline std::size_t sheets_in(const chart::SvgGeometry& drawn) {
  constexpr std::string_view kWords = "sheet 1 of ";
  for (const chart::Text& text : drawn.texts)
    if (text.words.starts_with(kWords)) return std::stoul(text.words.substr(kWords.size()));
  return 0;
}

/// Checks that the picture is an XML document, and that its texts are inside, do not overlap, are
/// large enough to read on paper, are each on one sheet, and are outside the margin of printers.
inline void is_sound(const std::string& svg) {
  constexpr double kMinText = 8 * 96.0 / 72, kMargin = 30;
  ASSERT_EQ(chart::svg_problem(svg), "");
  const chart::SvgGeometry drawn(svg);
  ASSERT_FALSE(drawn.texts.empty());
  EXPECT_THAT(drawn.misplaced(), testing::IsEmpty());
  for (const chart::Text& text : drawn.texts) EXPECT_GE(text.size, kMinText) << text.words;
  const std::size_t sheets = sheets_in(drawn);
  ASSERT_NE(sheets, 0U);
  for (std::size_t i = 0; i < sheets; ++i)
    EXPECT_EQ(std::ranges::count(drawn.texts, fmt::format("sheet {} of {}", i + 1, sheets),
                                 &chart::Text::words),
              1);
  const double height = drawn.height / static_cast<double>(sheets);
  EXPECT_THAT(drawn.beyond_sheets(height, kMargin), testing::IsEmpty());
  EXPECT_THAT(svg, testing::HasSubstr(
                       fmt::format("@page {{ size: {}px {}px; margin: 0 }}", drawn.width, height)));
}

/// Checks for A4 or A3, portrait or landscape.
inline void is_on_paper(const std::string& svg) {
  const chart::SvgGeometry drawn(svg);
  const std::vector<std::pair<double, double>> papers = {
      {794, 1123}, {1123, 794}, {1123, 1587}, {1587, 1123}};
  EXPECT_THAT(papers,
              testing::Contains(std::pair(drawn.width, drawn.height / double(sheets_in(drawn)))));
}

inline std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

}  // namespace ulnet::tools::fgr
