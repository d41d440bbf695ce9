#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "fgr/commands.h"
#include "fgr/picture/names.h"
#include "fgr/picture/picture_fixture.h"
#include "fgr/picture/pictures.h"
#include "fgr/plan/options.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using chart::SvgGeometry;
using chart::Text;
using plan::Plan;
using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kExamples = std::filesystem::path(ULNET_SOURCE_DIR) / "examples/fgr";

plan::Plan example(const std::string& name) { return plan_of_site(kExamples / (name + ".yaml")); }

constexpr std::size_t kMaxBytes = 2'000'000;

/// All texts of a picture.
std::set<std::string> words_of(const std::string& svg) {
  std::set<std::string> words;
  for (const Text& text : SvgGeometry(svg).texts) words.insert(text.words);
  return words;
}

void names_all_hosts(const Plan& plan, const std::string& svg) {
  const std::set<std::string> words = words_of(svg);
  for (const plan::ClientSystem& clients : plan.site.clients)
    for (const plan::Router& router : clients.routers)
      EXPECT_THAT(words, testing::Contains(router.host));
  for (const plan::FileSystem& system : plan.site.file_systems)
    for (const plan::Server& server : system.servers)
      EXPECT_THAT(words, testing::Contains(server.host));
  for (const plan::Group& group : plan.groups)
    EXPECT_THAT(words, testing::Contains(fmt::format("{:03}", group.suffix)));
}

/// The hatches of a picture's groups, without their colours.
std::vector<std::string> hatches_in(const std::string& svg) {
  std::vector<std::string> hatches;
  for (std::size_t at = 0; (at = svg.find("<pattern ", at)) != std::string::npos; ++at) {
    std::string text = svg.substr(at, svg.find("</pattern>", at) - at);
    text = std::regex_replace(text, std::regex(" id=\"[^\"]*\"|#[0-9a-f]{6}"), "");
    hatches.push_back(std::move(text));
  }
  return hatches;
}

TEST(CablePicture, EachExampleIsSound) {
  ASSERT_GE(sites_in(kExamples).size(), 6U);
  for (const fs::path& file : sites_in(kExamples)) {
    SCOPED_TRACE(file.string());
    const Plan plan = plan_of_site(file);
    const std::string svg = cable_picture(plan);
    is_sound(svg);
    is_on_paper(svg);
    names_all_hosts(plan, svg);
    EXPECT_EQ(cable_picture(plan), svg) << "not the same again";
  }
}

TEST(CablePicture, EachSizeIsSound) {
  for (const std::uint32_t ssus : {1U, 2U, 3U, 7U, 20U, 60U, 180U}) {
    SCOPED_TRACE(ssus);
    const Plan plan = plan_of_ssus(ssus);
    const std::string svg = cable_picture(plan);
    is_sound(svg);
    is_on_paper(svg);
    names_all_hosts(plan, svg);
  }
}

TEST(Pictures, TheLargestSystemsPicturesAreBounded) {
  const Plan plan = plan_of_ssus(180);
  for (const auto draw : {system_picture, cable_picture}) EXPECT_LT(draw(plan).size(), kMaxBytes);
}

TEST(Pictures, GroupsDifferWithoutTheirColours) {
  const auto hatches = hatches_in(system_picture(example("eighteen-ssu")));
  EXPECT_EQ(hatches.size(), 13U);
  EXPECT_EQ(std::set(hatches.begin(), hatches.end()).size(), hatches.size());
  const auto many = hatches_in(cable_picture(plan_of_ssus(180)));
  EXPECT_EQ(many.size(), 121U);
  EXPECT_EQ(std::set(many.begin(), many.end()).size(), 36U);
}

TEST(Pictures, NamesAreEscaped) {
  const std::string text = R"(about: "<a> & \"b\" 'c'"
clients:
    x:
        net: tcp1
        addresses: "10.1.*.*"
        GB per s: 5
        routers:
            - {host: r1, at: "\"&\"", nid: 10.1.0.1, address: 10.2.0.1, switch: "s<&", for: both}
            - {host: r2, at: ")" +
                           std::string(90, 'M') +
                           R"(", nid: 10.1.0.2, address: 10.2.0.2, switch: "s<&", for: both}
file systems:
    f:
        net: o2ib7
        groups by: switches
        GB per s: 3
        OSSs per group: 3
        routers per group: 2
        servers:
            - {host: mds, role: mds, address: 10.2.1.1, switch: "s<&", rack: "]]>"}
            - {host: oss0, address: 10.2.1.2, switch: "s<&", rack: "<!--"}
            - {host: "oss1", address: 10.2.1.3, switch: "s<&", rack: "R 1"}
            - {host: "oss2", address: 10.2.1.4, switch: "s<&"}
)";
  Plan plan = plan_of(text);
  // Site files only allow plainer names than sites.
  plan.site.clients[0].name = "x<&>";
  plan.site.clients[0].routers[0].host = "r<1>";
  plan.site.clients[0].routers[1].host = std::string(200, 'W');
  plan.site.file_systems[0].name = "f'>";
  plan.site.file_systems[0].servers[0].host = "m&ds";
  plan.site.file_systems[0].servers[1].host = "\">0";
  for (const auto draw : {system_picture, cable_picture}) {
    const std::string svg = draw(plan);
    is_sound(svg);
    EXPECT_THAT(svg, HasSubstr(">r&lt;1&gt;<"));
    EXPECT_THAT(svg, HasSubstr(">m&amp;ds<"));
    EXPECT_THAT(svg, HasSubstr(">&quot;&gt;0<"));
    EXPECT_THAT(svg, HasSubstr("WWW…<")) << "as long as labels may be";
    EXPECT_THAT(words_of(svg), testing::Contains(testing::StartsWith("switch s<&")));
  }
}

TEST(CablePicture, HasRoutersAboveServersAndARowForEachCable) {
  const Plan plan = example("two-by-two");
  const auto texts = SvgGeometry(cable_picture(plan)).texts;
  const auto place = [&](const std::string& words) {
    const auto at = std::ranges::find(texts, words, &Text::words);
    EXPECT_NE(at, texts.end()) << words;
    return at - texts.begin();
  };
  EXPECT_LT(place("switch left0: 18 routers, 7 servers, 25 cables"), place("nid00000"));
  EXPECT_LT(place("xc00075"), place("snx11001n002"));
  EXPECT_LT(place("snx11001n014"), place("switch right0: 18 routers, 7 servers, 25 cables"));
  EXPECT_EQ(texts[static_cast<std::size_t>(place("nid00005")) + 2].words, "10.10.100.104");
  EXPECT_NE(place("xc to scratch"), 0);
}

/// The text in the address's row and in the column of this head; empty: it has no text, or there is
/// no such head.
std::string below(const SvgGeometry& drawn, const std::string& head, const std::string& address) {
  const auto above = std::ranges::find(drawn.texts, head, &Text::words);
  const auto row = std::ranges::find(drawn.texts, address, &Text::words);
  EXPECT_NE(row, drawn.texts.end()) << address;
  if (above == drawn.texts.end() || row == drawn.texts.end()) return {};
  const auto is_there = [&](const Text& text) {
    return text.top == row->top && std::abs(text.left - above->left) < 0.5;
  };
  const auto found = std::ranges::find_if(drawn.texts, is_there);
  return found == drawn.texts.end() ? "" : found->words;
}

/// Checks the port of each cable at its switch, and at its host if that has several cables.
void shows_the_ports(const Plan& plan, bool chips, bool adapters) {
  const std::string svg = cable_picture(plan);
  is_sound(svg);
  const SvgGeometry drawn(svg);
  std::map<std::string, std::size_t> at_host, at_switch;
  const auto cables = plan::cables_of(plan, plan::CableOrder::kRouters);
  for (const plan::Cable& cable : cables) ++at_host[cable.host], ++at_switch[cable.at_switch];
  for (const plan::Cable& cable : cables) {
    const auto port = [](std::uint32_t number, bool several, const std::string& guid) {
      return std::to_string(number) + (several ? " of " + guid : "");
    };
    EXPECT_EQ(below(drawn, "switch port", cable.address),
              port(cable.switch_port, chips && at_switch[cable.at_switch] > 1, cable.switch_guid));
    EXPECT_EQ(
        below(drawn, "adapter port", cable.address),
        at_host[cable.host] == 1 ? "" : port(cable.adapter_port, adapters, cable.adapter_guid));
  }
  const auto groups = std::ranges::find(drawn.texts, "groups", &Text::words);
  const auto beside = std::ranges::find(drawn.texts, "switch port", &Text::words);
  ASSERT_TRUE(groups != drawn.texts.end() && beside != drawn.texts.end());
  for (const Text& text : drawn.texts)
    EXPECT_TRUE(std::abs(text.left - beside->left) > 0.5 || text.right < groups->left)
        << text.words << " is on the tags of groups";
}

TEST(CablePicture, ShowsThePortsThatTheFabricKnows) {
  const fs::path folder = fs::path(ULNET_SOURCE_DIR) / "examples/fgr-fabric";
  auto plan = plan_of_file(folder / "site.yaml", folder / "ibnetdiscover.txt");
  ASSERT_TRUE(plan) << conf::lines_of(plan.error());
  is_on_paper(cable_picture(*plan));
  shows_the_ports(*plan, false, false);
  const SvgGeometry drawn(cable_picture(*plan));
  EXPECT_EQ(below(drawn, "switch port", "10.10.100.103"), "2") << "nid00750";
  EXPECT_EQ(below(drawn, "switch port", "10.10.100.7"), "8") << "snx11001n007";
  EXPECT_FALSE(words_of(cable_picture(*plan)).contains("adapter port")) << "each has one";
  EXPECT_FALSE(words_of(cable_picture(example("two-ssu"))).contains("switch port"));
}

TEST(CablePicture, ShowsThePortsOfHostsWithSeveral) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Plan plan = random_plan(seed);
    const bool chips = seed % 2 == 0, adapters = seed % 4 < 2;
    plug_in(plan, chips, adapters);
    shows_the_ports(plan, chips, adapters);
  }
}

/// A host with one address may have two ports plugged in. A cable at another switch than planned
/// has no port at the planned one.
TEST(CablePicture, ShowsNoPortThatIsNotPlanned) {
  Plan plan = example("two-ssu");
  plug_in(plan, false, false);
  plan::SeenCable& first = plan.fabric->cables.front();
  const std::string address = plan::words_of({plan.site.clients[0].routers[0].addresses[0]});
  plan::SeenCable second = first;
  first.switch_name = "elsewhere";
  EXPECT_EQ(below(SvgGeometry(cable_picture(plan)), "switch port", address), "");
  second.adapter_port = 2;
  plan.fabric->cables.push_back(second);
  const SvgGeometry drawn(cable_picture(plan));
  EXPECT_EQ(below(drawn, "switch port", address), "1");
  EXPECT_EQ(below(drawn, "adapter port", address), "2");
}

/// A panel is cut only where it is longer than a sheet.
TEST(CablePicture, HasSheets) {
  EXPECT_THAT(cable_picture(example("six-ssu")), HasSubstr("width=\"794\" height=\"1123\""));
  const std::string svg = cable_picture(plan_of_ssus(180));
  EXPECT_THAT(svg, HasSubstr(">sheet 30 of 30<"));
  EXPECT_EQ(SvgGeometry(svg).height, 30 * 1123);
  const std::string site = R"(about: one switch
clients:
    c: {net: tcp1, addresses: "10.1.*.*", GB per s: 5, routers: [{host: "r[1-90]", nid: "10.1.0.[1-90]", address: ["10.2.0.[1-90]", "10.3.0.[1-90]"], switch: s}]}
file systems:
    f: {net: o2ib7, groups by: none, GB per s: 3, servers: [{host: mds, role: mds, address: 10.2.1.1}]}
)";
  const std::string cut = cable_picture(plan_of(site));
  EXPECT_THAT(cut, HasSubstr("(4 of 4)<"));
  EXPECT_THAT(cut, HasSubstr(">no switch named: 0 routers, 1 server, 1 cable<"));
  EXPECT_THAT(cut, HasSubstr(">10.3.0.90<"));
  is_sound(cut);
}

TEST(Names, AreShort) {
  using Words = std::vector<std::string>;
  EXPECT_THAT(short_names({"nid00750", "nid00751", "nid00752"}), ElementsAre("nid[00750-00752]"));
  EXPECT_THAT(short_names({"n004", "n006", "n008", "x", "n010", "n3"}),
              ElementsAre("n[004-010/2]", "x", "n3"));
  EXPECT_THAT(short_names({"n1", "n2", "n5", "n6", "n7"}), ElementsAre("n[1,2,5-7]"));
  EXPECT_THAT(short_names({"n8", "n9", "n10", "n11", "n0007"}), ElementsAre("n[8-11]", "n0007"));
  EXPECT_THAT(short_names({"n098", "n099", "n100"}), ElementsAre("n[098-100]"));
  EXPECT_THAT(short_names({"a[1]2", "12345678901234567890", ""}),
              ElementsAre("a[1]2", "12345678901234567890", ""));
  EXPECT_THAT(short_names({}), ElementsAre());
  const Words names = {"r99", "r0", "r100", "r098", "r9", "q7", "r5", "r7"};
  Words back;
  for (const std::string& word : short_names(names)) {
    const auto some = expand_word(word, 100);
    ASSERT_TRUE(some) << word;
    back.insert(back.end(), some->begin(), some->end());
  }
  EXPECT_THAT(back, testing::UnorderedElementsAreArray(names));
}

TEST(Names, AreBrokenIntoLines) {
  EXPECT_THAT(wrapped_lines("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped_lines("r[1,2,3,4,5]", 6), ElementsAre("r[1,2,", "3,4,5]"));
  EXPECT_THAT(wrapped_lines("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(wrapped_lines("äöüß", 3), ElementsAre("äöü", "ß"));
  EXPECT_THAT(wrapped_lines("", 3), ElementsAre(""));
  EXPECT_THAT(wrapped_lines("    ", 3), ElementsAre(""));
  EXPECT_THAT(wrapped_lines("\xff\xff\xff", 2), ElementsAre("\xff\xff", "\xff"));
}

// ---- the command ----

/// The exit code of `ulnet-fgr draw SITE -o FILE`.
int draw(const fs::path& site, const fs::path& file, bool cables) {
  CLI::App app("test", "ulnet-fgr");
  int code = -1;
  add_draw_command(app, code);
  std::vector<std::string> words = {file.string(), "-o", site.string(), "draw"};
  if (cables) words.insert(words.begin(), "--cables");
  app.parse(words);  // the parser expects the words in reverse order
  return code;
}

TEST(DrawCommand, WritesThePicture) {
  const fs::path site = fs::path(ULNET_SOURCE_DIR) / "examples/fgr/six-ssu.yaml";
  const TempFolder folder;
  const fs::path file = folder / "picture.svg";
  const auto drawn = [&](bool cables) {
    EXPECT_EQ(draw(site, file, cables), kExitDone);
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    fs::remove(file);
    return text.str();
  };
  EXPECT_EQ(drawn(false), system_picture(example("six-ssu")));
  EXPECT_EQ(drawn(true), cable_picture(example("six-ssu")));
}

TEST(DrawCommand, SaysThatItCannot) {
  testing::internal::CaptureStderr();
  const fs::path nowhere = "/nowhere/at/all";
  EXPECT_EQ(draw(nowhere / "site.yaml", "x.svg", false), kExitInput);
  EXPECT_EQ(draw(fs::path(ULNET_SOURCE_DIR) / "examples/fgr/flat.yaml", nowhere / "x.svg", true),
            kExitInput);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("/nowhere/at/all/site.yaml"));
  EXPECT_THAT(said, HasSubstr("ulnet-fgr: /nowhere/at/all/x.svg: No such file or directory"));
}

}  // namespace
}  // namespace ulnet::tools::fgr
