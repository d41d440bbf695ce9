#include <map>
#include <set>

#include "fgr/picture/picture_fixture.h"
#include "fgr/picture/pictures.h"
#include "fgr/picture/ports.h"

namespace ulnet::tools::fgr {
namespace {

using chart::Box;
using chart::Segment;
using chart::SvgGeometry;
using chart::Text;
using plan::Plan;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kExamples = std::filesystem::path(ULNET_SOURCE_DIR) / "examples/fgr";

plan::Plan example(const std::string& name) { return plan_of_site(kExamples / (name + ".yaml")); }

constexpr double kCable = 1.8;  // width of a cable's line
constexpr double kHalfRow = 8;

/// Checks that each host's name is there once, and that a line for each cable leads from its box to
/// the box of its switch.
void has_each_host_and_cable_once(const Plan& plan, const SvgGeometry& drawn) {
  std::size_t cables = 0;
  for (const SwitchPorts& at : switches_of(plan)) {
    std::string name = name_of(at);
    std::erase(name, ' ');
    for (const auto* const ports : {&at.routers, &at.servers})
      for (const Port& port : *ports) {
        SCOPED_TRACE(port.host);
        cables += port.cables.size();
        ASSERT_EQ(std::ranges::count(drawn.texts, port.host, &Text::words), 1);
        const Text& text = *std::ranges::find(drawn.texts, port.host, &Text::words);
        const Box* const block = drawn.box_around(text);
        ASSERT_NE(block, nullptr);
        const double row = (text.top + text.bottom) / 2;
        const double edge = port.server == nullptr ? block->right : block->left;
        std::set<double> ends;
        for (const Segment& line : drawn.segments) {
          if (line.width != kCable) continue;
          const bool out = std::abs(line.from.x - edge) < 1;
          const chart::Spot& here = out ? line.from : line.to;
          const chart::Spot& there = out ? line.to : line.from;
          if (std::abs(here.x - edge) > 1 || std::abs(here.y - row) > kHalfRow) continue;
          ends.insert(here.y);
          EXPECT_TRUE(std::ranges::any_of(drawn.boxes,
                                          [&](const Box& box) {
                                            return SvgGeometry::on_border(there, box) &&
                                                   drawn.words_in(box).starts_with(name);
                                          }))
              << "the line does not end at " << name;
        }
        EXPECT_EQ(ends.size(), port.cables.size());
      }
  }
  EXPECT_EQ(std::ranges::count(drawn.segments, kCable, &Segment::width), cables);
}

/// Checks that the first sheet has one box for each client system, and that no sheet has two.
void has_client_boxes_once(const Plan& plan, const SvgGeometry& drawn, double sheet_height) {
  std::map<double, std::size_t> by_sheet;
  for (const Box& box : drawn.boxes)
    if (box.corners == 8) ++by_sheet[std::floor(box.top / sheet_height)];
  EXPECT_TRUE(by_sheet.contains(0));
  for (const auto& [sheet, count] : by_sheet) EXPECT_EQ(count, plan.site.clients.size()) << sheet;
}

void is_right(const Plan& plan) {
  const std::string svg = system_picture(plan);
  is_sound(svg);
  is_on_paper(svg);
  const SvgGeometry drawn(svg);
  EXPECT_THAT(drawn.lines_across_boxes(), IsEmpty());
  has_each_host_and_cable_once(plan, drawn);
  has_client_boxes_once(plan, drawn, drawn.height / sheets_in(drawn));
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    EXPECT_GE(occurrences(svg, fmt::format("fill=\"url(#group-{})\"", i)), 2U)
        << "routers and servers";
    EXPECT_THAT(svg, HasSubstr(">" + plan.groups[i].net.to_string() + "<"));
  }
  EXPECT_EQ(system_picture(plan), svg) << "not the same again";
}

TEST(SystemPicture, EachExampleIsRight) {
  ASSERT_GE(sites_in(kExamples).size(), 6U);
  for (const auto& file : sites_in(kExamples)) {
    SCOPED_TRACE(file.string());
    is_right(plan_of_site(file));
  }
}

TEST(SystemPicture, EachSizeIsRight) {
  for (const std::uint32_t ssus : {1U, 2U, 3U, 7U, 20U, 31U, 60U, 180U}) {
    SCOPED_TRACE(ssus);
    is_right(plan_of_ssus(ssus));
  }
}

TEST(SystemPicture, RandomSitesAreRight) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    is_right(random_plan(seed));
  }
}

TEST(SystemPicture, NamesWhatItShows) {
  Plan plan = example("six-ssu");
  const std::string svg = system_picture(plan);
  for (const char* word : {">rack R0<", ">left side<", ">right side<", ">MGS<", ">MDS<",
                           ">OSS 11, SSU 5<", ">switch left0<", ">16 cables<", ">+1.4<"})
    EXPECT_THAT(svg, HasSubstr(word));
  plan.site.clients[0].routers[5].addresses.push_back(1);
  is_right(plan);
}

TEST(SystemPicture, ARouterOfSeveralGroupsHasTheTagsOfAll) {
  const std::string svg = system_picture(example("figure-5"));
  // Two blocks of routers, two of servers, and the table.
  EXPECT_EQ(occurrences(svg, "fill=\"url(#group-0)\""), 5U);
  EXPECT_EQ(occurrences(svg, "fill=\"url(#group-1)\""), 3U);
}

TEST(SystemPicture, ARouterOfNoGroupIsSpare) {
  Plan plan = example("six-ssu");
  for (plan::Group& group : plan.groups) std::erase(group.routers[0].primary, 2U);
  EXPECT_THAT(system_picture(plan), HasSubstr(">spare<"));
  is_right(plan);
}

TEST(SystemPicture, ALargeSystemBeginsWithAnOverview) {
  const Plan plan = plan_of_ssus(180);
  const std::string svg = system_picture(plan);
  const SvgGeometry drawn(svg);
  EXPECT_EQ(drawn.width, 1587);
  EXPECT_EQ(drawn.height, 10 * 1123);
  for (const SwitchPorts& at : switches_of(plan)) {
    const auto line = std::ranges::find(drawn.texts, at.name, &Text::words);
    ASSERT_NE(line, drawn.texts.end()) << at.name;
    EXPECT_LT(line->bottom, 1123) << "on the first sheet";
  }
  EXPECT_THAT(svg, HasSubstr(">rack R29, right, sheet 10<"));
  const auto host = std::ranges::find(drawn.texts, "snx11001n362", &Text::words);
  ASSERT_NE(host, drawn.texts.end());
  EXPECT_GT(host->top, 9 * 1123) << "where the overview says";
}

TEST(SystemPicture, CutsASwitchThatIsLongerThanASheet) {
  const std::string site = R"(about: one switch
clients:
    c: {net: tcp1, addresses: "10.1.*.*", GB per s: 5, routers: [{host: "r[1-90]", nid: "10.1.0.[1-90]", address: ["10.2.0.[1-90]", "10.3.0.[1-90]"], switch: s}]}
file systems:
    f: {net: o2ib7, groups by: none, GB per s: 3, servers: [{host: mds, role: mds, address: 10.2.1.1}]}
)";
  const Plan plan = plan_of(site);
  is_right(plan);
  EXPECT_THAT(system_picture(plan), HasSubstr(">part 2 of 2<"));
}

/// The names of sixty systems above the columns need more than a sheet of A3.
TEST(SystemPicture, SixtyClientSystemsNeedLargerPaper) {
  std::string site = "clients:\n";
  for (int i = 0; i < 60; ++i)
    site += fmt::format(
        "    cluster{0}: {{net: tcp{1}, addresses: \"10.{0}.*.*\", GB per s: 5, routers: [{{host: "
        "\"r{0}-[1-2]\", nid: \"10.{0}.1.[1-2]\", address: \"11.0.{0}.[1-2]\", switch: s, for: "
        "both}}]}}\n",
        i, i + 1);
  site += R"(file systems:
    f: {net: o2ib7, groups by: switches, GB per s: 3, OSSs per group: 3, routers per group: 2,
        servers: [{host: mds, role: mds, address: 11.2.1.1, switch: s}, {host: "oss[1-3]", address: "11.2.1.[2-4]", switch: s}]}
)";
  const Plan plan = plan_of(site);
  const std::string svg = system_picture(plan);
  is_sound(svg);
  const SvgGeometry drawn(svg);
  EXPECT_GT(drawn.width, 1587);
  EXPECT_THAT(drawn.lines_across_boxes(), IsEmpty());
  has_each_host_and_cable_once(plan, drawn);
}

TEST(SystemPicture, SaysOfWhichSystemRoutersAre) {
  const std::string svg = system_picture(example("two-by-two"));
  for (const char* word : {">home<", ">scratch<", ">xe<", ">xc<", ">of xe<", ">of xc<",
                           ">9 routers of xe<", ">rack S0, right, sheet 3<"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_EQ(occurrences(svg, ", SSU "), 12U) << "scratch is no Sonexion";
}

TEST(SystemPicture, NamesAllFileSystemsAtASwitch) {
  std::string site = R"(switches: {s: {}}
clients:
    c:
        net: tcp1
        addresses: "10.1.*.*"
        GB per s: 5
        routers:
            - {host: r1, nid: 10.1.0.1, address: 10.2.0.1, switch: s, file system: one}
            - {host: r2, nid: 10.1.0.2, address: 10.2.0.2, switch: s, file system: two}
file systems:
    one: {net: o2ib10, groups by: none, GB per s: 3, servers: [{host: a1, address: 10.2.1.1, switch: s}]}
    two: {net: o2ib20, groups by: none, GB per s: 3, servers: [{host: b1, address: 10.2.1.2, switch: s}]}
)";
  const std::string svg = system_picture(plan_of(site));
  is_sound(svg);
  for (const char* word : {">one, flat; two, flat<", ">to one<", ">to two<", ">one<", ">two<"})
    EXPECT_THAT(svg, HasSubstr(word));
}

}  // namespace
}  // namespace ulnet::tools::fgr
