#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/temp_folder_fixture.h"
#include "tools/chart/svg.h"
#include "tools/chart/svg_check.h"
#include "tools/fgr/commands.h"
#include "tools/fgr/picture/cable_picture.h"
#include "tools/fgr/picture/names.h"
#include "tools/fgr/picture/ports.h"
#include "tools/fgr/picture/system_picture.h"
#include "tools/fgr/site/new_site.h"
#include "tools/fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using plan::Plan;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kMostBytes = 2'000'000;

std::vector<fs::path> examples() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(ULNET_SOURCE_DIR) / "examples/fgr"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Plan example(const std::string& name) {
  auto plan = plan_of_file(fs::path(ULNET_SOURCE_DIR) / "examples/fgr" / (name + ".yaml"));
  EXPECT_TRUE(plan) << plan.error();
  return plan.value_or(Plan{});
}

Plan plan_of(const std::string& text) {
  auto site = read_site(text);
  EXPECT_TRUE(site) << site.error().front().reason;
  auto plan = plan::make_plan(site ? *site : plan::Site{});
  EXPECT_TRUE(plan) << plan.error().front().what;
  return plan.value_or(Plan{});
}

Plan of_ssus(std::uint32_t ssus) {
  return plan_of(*new_site({.ssus = ssus,
                            .cluster = "snx11001",
                            .net = {NetType::kO2ib, 6000},
                            .first_router = "10.10.104.1"}));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  if (at == std::string::npos) return {};
  const std::size_t start = at + name.size() + 3;
  return element.substr(start, element.find('"', start) - start);
}
double figure(const std::string& element, const std::string& name) {
  return std::strtod(attribute(element, name).c_str(), nullptr);
}

std::string unescaped(std::string text) {
  for (const auto& [entity, letter] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}})
    for (std::size_t at; (at = text.find(entity)) != std::string::npos;)
      text.replace(at, std::string(entity).size(), letter);
  return text;
}

/// A text of a picture, and the room that it takes in a font with wide digits.
struct Text {
  std::string words;
  double left = 0, right = 0, top = 0, bottom = 0;
};

std::vector<Text> texts_of(const std::string& svg) {
  std::vector<Text> texts;
  for (std::size_t at = 0; (at = svg.find("<text ", at)) != std::string::npos; ++at) {
    const std::size_t close = svg.find('>', at);
    const std::string element = svg.substr(at, close - at);
    Text text{unescaped(svg.substr(close + 1, svg.find('<', close) - close - 1))};
    const double size = figure(element, "font-size");
    const double letter = element.find("bold") != std::string::npos ? 0.7 : 0.64;
    const double wide = letter / 0.62 * chart::width_of(text.words, static_cast<int>(size));
    const std::string anchor = attribute(element, "text-anchor");
    text.left = figure(element, "x") - (anchor == "end" ? wide : anchor == "middle" ? wide / 2 : 0);
    text.right = text.left + wide;
    text.top = figure(element, "y") - 0.8 * size;
    text.bottom = figure(element, "y") + 0.2 * size;
    texts.push_back(std::move(text));
  }
  return texts;
}

/// No text is outside or on another one. Returns those that are.
std::vector<std::string> misplaced_in(const std::string& svg) {
  const double width = figure(svg, "width"), height = figure(svg, "height");
  const auto texts = texts_of(svg);
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Text& one = texts[i];
    if (one.left < 0 || one.right > width || one.top < 0 || one.bottom > height)
      wrong.push_back("outside: " + one.words);
    for (std::size_t k = 0; k < i; ++k) {
      const Text& two = texts[k];
      if (one.right > two.left && two.right > one.left && one.bottom > two.top &&
          two.bottom > one.top)
        wrong.push_back(one.words + " on " + two.words);
    }
  }
  return wrong;
}

void is_sound(const std::string& svg) {
  ASSERT_EQ(chart::what_is_wrong_with(svg), "");
  ASSERT_NE(count(svg, "<text "), 0U);
  EXPECT_THAT(misplaced_in(svg), ElementsAre());
}

TEST(Pictures, TheCheckOfTheseTestsSees) {
  chart::Svg svg(200, 100);
  svg.text({10, 50}, "first", {});
  svg.text({40, 55}, "second", {.anchor = chart::Anchor::kMiddle});
  svg.text({10, 80}, "third", {});
  svg.text({180, 20}, "fourth", {});
  svg.text({10, 103}, "fifth", {});
  EXPECT_THAT(misplaced_in(std::move(svg).finish()),
              ElementsAre("second on first", "outside: fourth", "outside: fifth"));
}

/// All hosts that the texts name, also where several are in one word.
std::set<std::string> named_in(const std::string& svg) {
  std::set<std::string> names;
  for (const Text& text : texts_of(svg)) {
    names.insert(text.words);
    // A comma within brackets is part of a word.
    static const std::regex kWord(R"((?:[^,\[ ]|\[[^\]]*\])+)");
    for (std::sregex_iterator word(text.words.begin(), text.words.end(), kWord), end; word != end;
         ++word)
      if (const auto some = expand_word(word->str(), 100'000); some)
        names.insert(some->begin(), some->end());
  }
  return names;
}

void names_everybody(const Plan& plan, const std::string& svg) {
  const std::set<std::string> names = named_in(svg);
  for (const plan::ClientSystem& clients : plan.site.clients)
    for (const plan::Router& router : clients.routers)
      EXPECT_THAT(names, testing::Contains(router.host));
  for (const plan::FileSystem& system : plan.site.file_systems)
    for (const plan::Server& server : system.servers)
      EXPECT_THAT(names, testing::Contains(server.host));
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    EXPECT_THAT(names, testing::Contains(fmt::format("{:03}", plan.groups[i].suffix)));
    EXPECT_GE(count(svg, fmt::format("fill=\"url(#group-{})\"", i)), 2U) << "routers and servers";
  }
}

/// Hatches of a picture's groups, without their colours.
std::vector<std::string> hatches_in(const std::string& svg) {
  std::vector<std::string> hatches;
  for (std::size_t at = 0; (at = svg.find("<pattern ", at)) != std::string::npos; ++at) {
    std::string text = svg.substr(at, svg.find("</pattern>", at) - at);
    text = std::regex_replace(text, std::regex(" id=\"[^\"]*\"|#[0-9a-f]{6}"), "");
    hatches.push_back(std::move(text));
  }
  return hatches;
}

TEST(Pictures, OfEachExampleAreSoundAndNameEverybody) {
  ASSERT_GE(examples().size(), 6U);
  for (const fs::path& file : examples()) {
    SCOPED_TRACE(file.string());
    const auto plan = plan_of_file(file);
    ASSERT_TRUE(plan) << plan.error();
    for (const auto draw : {system_picture, cable_picture}) {
      const std::string svg = draw(*plan);
      is_sound(svg);
      names_everybody(*plan, svg);
      EXPECT_EQ(draw(*plan), svg) << "not the same again";
    }
    const std::string svg = system_picture(*plan);
    for (const plan::Group& group : plan->groups)
      EXPECT_THAT(svg, HasSubstr(">" + group.net.to_string() + "<"));
  }
}

TEST(Pictures, OfManySizesAreSound) {
  for (const std::uint32_t ssus : {1U, 2U, 3U, 7U, 20U, 31U, 60U}) {
    SCOPED_TRACE(ssus);
    const Plan plan = of_ssus(ssus);
    for (const auto draw : {system_picture, cable_picture}) {
      const std::string svg = draw(plan);
      is_sound(svg);
      names_everybody(plan, svg);
    }
  }
}

TEST(Pictures, OfThePapersLargestSystemAreNotTooLarge) {
  const Plan plan = of_ssus(180);
  for (const auto draw : {system_picture, cable_picture}) {
    const std::string svg = draw(plan);
    EXPECT_LT(svg.size(), kMostBytes);
    is_sound(svg);
    names_everybody(plan, svg);
  }
}

TEST(Pictures, GroupsDifferWithoutTheirColours) {
  const auto hatches = hatches_in(system_picture(example("eighteen-ssu")));
  EXPECT_EQ(hatches.size(), 13U);
  EXPECT_EQ(std::set(hatches.begin(), hatches.end()).size(), hatches.size());
  const auto many = hatches_in(cable_picture(of_ssus(180)));
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
  // Site files have plainer names than sites.
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
    EXPECT_THAT(svg, HasSubstr("switch s&lt;&amp;"));
  }
}

TEST(SystemPicture, HasALineForEachCable) {
  Plan plan = example("six-ssu");
  const std::string svg = system_picture(plan);
  EXPECT_EQ(count(svg, "<line "), 18U + 18U + 14U) << "to clients, from routers, from servers";
  for (const char* word : {">rack R0<", ">left side<", ">right side<", ">MGS<", ">MDS<",
                           ">OSS 11, SSU 5<", ">switch left0<", ">16 cables<", ">+1.4<"})
    EXPECT_THAT(svg, HasSubstr(word));
  plan.site.clients[0].routers[5].addresses.push_back(1);
  EXPECT_EQ(count(system_picture(plan), "<line "), 18U + 19U + 14U);
}

TEST(SystemPicture, ARouterOfSeveralGroupsHasTheTagsOfAll) {
  const std::string svg = system_picture(example("figure-5"));
  // Two blocks of routers, two servers, the legend.
  EXPECT_EQ(count(svg, "fill=\"url(#group-0)\""), 5U);
  EXPECT_EQ(count(svg, "fill=\"url(#group-1)\""), 3U);
}

TEST(SystemPicture, FoldsWhatIsMany) {
  const std::string svg = system_picture(of_ssus(180));
  EXPECT_THAT(svg, HasSubstr(">router[00003-00006]<"));
  EXPECT_THAT(svg, HasSubstr(">snx11001n[004-008/2]<"));
  EXPECT_THAT(svg, HasSubstr(">3 OSSs<"));
  EXPECT_EQ(count(svg, "<line "), 122U + 122U + 122U);
}

TEST(SystemPicture, SaysOfWhichSystemRoutersAre) {
  const std::string svg = system_picture(example("two-by-two"));
  for (const char* word : {">home<", ">scratch<", ">xe<", ">xc<", ">of xe<", ">of xc<"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_EQ(count(svg, ", SSU "), 12U) << "scratch is no Sonexion";
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

TEST(CablePicture, HasRoutersAboveServersAndARowForEachCable) {
  const Plan plan = example("two-by-two");
  const auto texts = texts_of(cable_picture(plan));
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

/// Lines of a sheet of A4 are on that sheet, and a panel is cut only where it is longer than one.
TEST(CablePicture, HasSheets) {
  const std::string small = cable_picture(example("six-ssu"));
  EXPECT_THAT(small, HasSubstr("width=\"794\" height=\"1123\""));
  EXPECT_THAT(small, HasSubstr(">sheet 1 of 1<"));
  const std::string svg = cable_picture(of_ssus(180));
  EXPECT_THAT(svg, HasSubstr(">sheet 30 of 30<"));
  EXPECT_EQ(figure(svg, "height"), 30 * 1123);
  for (const Text& text : texts_of(svg))
    EXPECT_EQ(std::floor(text.top / 1123), std::floor(text.bottom / 1123)) << text.words;
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
  is_sound(system_picture(plan_of(site)));
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
  app.parse(words);  // the last word is the first one of the line
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
