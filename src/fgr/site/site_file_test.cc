#include "fgr/site/site_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fgr/plan/options.h"
#include "fgr/site/new_site.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The system of design document 004, section III.A.
constexpr const char* kPaper = R"(about: a Cray XE and a Sonexion-1600 of 6 SSUs
clients:
    xe:
        net: gni1
        addresses: "10.128.*.*"
        kind: xe
        routers:
            - {host: nid00068, at: c0-0c0s0n0, nid: 68, address: 10.10.100.101, switch: left0, for: metadata}
            - {host: nid00090, nid: 90, address: 10.10.100.102, switch: right0, for: metadata}
            - {host: "nid[00750-00753]", nid: "[750-753]", address: "10.10.100.[103-106]", switch: left0}
            - {host: "nid[00608-00609,00638-00639]", nid: "[608-609,638-639]", address: "10.10.100.[107-110]", switch: left0}
            - {host: "nid[00618-00619,00628-00629]", nid: "[618-619,628-629]", address: "10.10.100.[111-114]", switch: right0}
            - {host: "nid[00648-00649,00662-00663]", nid: "[648-649,662-663]", address: "10.10.100.[115-118]", switch: right0}
file systems:
    home: {cluster: snx11001, net: o2ib6000, kind: sonexion-1600, SSUs: 6, first address: 10.10.100.2}
)";

std::string mistakes_of(const std::string& text) {
  const auto site = read_site(text);
  if (site) return {};
  std::string all;
  for (const conf::Problem& mistake : site.error())
    all += fmt::format("{}:{}: {}\n", mistake.place.line, mistake.place.column, mistake.reason);
  return all;
}
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(SiteFile, ThePapersSystemGivesItsListing) {
  EXPECT_EQ(mistakes_of(kPaper), "");
  const auto plan = plan::make_plan(*read_site(kPaper));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->groups[1].routers[0].primary.size(), 4U) << "by bandwidth matching";
  const std::string text = plan::router_options(*plan, 0, plan::ListForm::kWrittenOut).text();
  EXPECT_THAT(text, HasSubstr("o2ib6004 10.10.100.[103,104,105,106,107,108,109,110];\\\n"));
  EXPECT_THAT(text, HasSubstr("o2ib6005 1 [648,649,662,663]@gni1;\\\n"));
}

TEST(SiteFile, LinksBetweenSwitchesHaveABandwidth) {
  const std::string text = with(kPaper, "SSUs: 6,", "SSUs: 6, ISL GB per s: 12.5,");
  const auto site = read_site(text);
  ASSERT_TRUE(site) << mistakes_of(text);
  EXPECT_EQ(site->file_systems[0].isl_gb_per_s, 12.5);
  EXPECT_THAT(mistakes_of(with(kPaper, "SSUs: 6,", "SSUs: 6, ISL GB per s: 0,")),
              HasSubstr("'0' is no bandwidth"));
}

TEST(SiteFile, ServersMayHaveANetAmongThem) {
  const std::string with_net = with(kPaper, "SSUs: 6,", "net among servers: o2ib6500, SSUs: 6,");
  EXPECT_EQ(mistakes_of(with_net), "");
  EXPECT_EQ(read_site(with_net)->file_systems[0].among_servers, (NetId{NetType::kO2ib, 6500}));
  EXPECT_EQ(read_site(kPaper)->file_systems[0].among_servers, std::nullopt);
  EXPECT_EQ(mistakes_of(with(with_net, "o2ib6500", "o3ib6500")),
            "15:67: 'o3ib6500' is no net: 'o3ib6500' is not a network type\n");
  EXPECT_EQ(mistakes_of(with(with_net, "o2ib6500", "tcp6500")),
            "15:67: tcp6500 is of another type than 'net', o2ib6000: servers have both on the same "
            "interface\n");
  EXPECT_EQ(
      mistakes_of(with(with_net, "SSUs: 6,", "SSUs: 6, groups by: none,")),
      "15:67: all servers are on o2ib6000 already, as 'groups by: none' says: leave 'net among "
      "servers' out\n");
  EXPECT_THAT(mistakes_of(with(with_net, "o2ib6500", "[o2ib6500]")), HasSubstr("15:67: "));
  EXPECT_THAT(mistakes_of(with(with_net, "net among servers", "net among server")),
              HasSubstr("net among servers"));
}

TEST(SiteFile, ANetAmongServersThatOthersHaveIsSaidWithItsPlace) {
  const TempFolder folder;
  const std::string name = folder / "site.yaml";
  const auto said = [&](const char* net) {
    std::ofstream(name) << with(kPaper, "SSUs: 6,",
                                fmt::format("net among servers: {}, SSUs: 6,", net));
    const auto plan = plan_of_file(name);
    return plan ? "planned" : conf::lines_of(plan.error());
  };
  EXPECT_EQ(said("o2ib6500"), "planned");
  EXPECT_EQ(said("o2ib6005"),
            name +
                ":15:67: home, net among servers: o2ib6005 is already the net of home, group "
                "005. Take a net that nobody else has.\n");
}

TEST(SiteFile, WordsKeepTheirDigits) {
  EXPECT_THAT(*expand_word("nid[00008-00010,7]x", 10),
              ElementsAre("nid00008x", "nid00009x", "nid00010x", "nid00007x"));
  EXPECT_THAT(*expand_word("r[8-10]", 10), ElementsAre("r8", "r9", "r10"));
  EXPECT_THAT(*expand_word("plain", 10), ElementsAre("plain"));
  for (const char* wrong : {"r[1-2][3-4]", "r[", "r[]", "r[3-1]", "r[1-100]"})
    EXPECT_FALSE(expand_word(wrong, 10)) << wrong;
}

TEST(SiteFile, ADuplicateNumberIsRefusedWithItsPlace) {
  struct Twice {
    const char *right, *wrong, *said;
  };
  for (const auto& [right, wrong, said] :
       {Twice{"nid[00750-00753]", "nid[00750,00750-00753]",
              "10:16: 'nid[00750,00750-00753]': 750 is"},
        Twice{"\"[750-753]\"", "\"[750-753,752]\"", "10:42: '[750-753,752]': 752 is"},
        Twice{"\"10.10.100.[103-106]\"", "\"10.10.100.[103,103-106]\"",
              "10:60: '10.10.100.[103,103-106]': 103 is"},
        Twice{"\"10.10.100.[103-106]\"", "[\"10.10.100.[103-106]\", \"10.10.101.[3-6/1,4]\"]",
              "10:93: '10.10.101.[3-6/1,4]': 4 is"},
        Twice{"switch: left0}", "switch: \"left[0,0]\"}", "10:92: 'left[0,0]': 0 is"}}) {
    EXPECT_EQ(mistakes_of(with(kPaper, right, wrong)),
              std::string(said) + " there twice: write each number once\n");
  }
  EXPECT_EQ(mistakes_of(with(kPaper, "10.128.*.*", "10.128.[1-3,2].*")), "")
      << "a pattern that addresses match, as in ip2nets";
}

// ulnetd and ulnetctl accept tags in lnetctl's files, and ignore them.
TEST(SiteFile, TagsAreRefusedWithTheirPlace) {
  struct Tagged {
    const char *right, *wrong, *said;
  };
  for (const auto& [right, wrong, said] :
       {Tagged{"net: gni1", "net: !!str gni1", "4:14: tags are not allowed: remove '!!str'"},
        Tagged{"net: gni1", "net: !foo \"gni1\"", "4:14: tags are not allowed: remove '!foo'"},
        Tagged{"net: gni1", "net: ! gni1", "4:14: tags are not allowed: remove '!'"},
        Tagged{"net: gni1", "net: !<tag:yaml.org,2002:str> gni1",
               "4:14: tags are not allowed: remove '!<tag:yaml.org'"},
        Tagged{"net: gni1", "net: !!null", "4:14: tags are not allowed: remove '!!null'"},
        Tagged{"net: gni1", "!k net: gni1", "4:9: tags are not allowed: remove '!k'"},
        Tagged{"    xe:", "    xe: !!map", "3:9: tags are not allowed: remove '!!map'"},
        Tagged{"routers:", "routers: !!seq", "7:18: tags are not allowed: remove '!!seq'"},
        Tagged{"{host: nid00090", "!r {host: nid00090", "9:15: tags are not allowed: remove '!r'"},
        Tagged{"about: a", "about: !a\nx: a", "1:8: tags are not allowed: remove '!a'"},
        Tagged{"about: a",
               "\xef\xbb\xbf"
               "about: !a a",
               "1:8: tags are not allowed: remove '!a'"}})
    EXPECT_EQ(mistakes_of(with(kPaper, right, wrong)),
              std::string(said) + " (put text that begins with ! in quotes)\n");
  EXPECT_EQ(mistakes_of(with(kPaper, "about: a", "about: \"!a\" # !b\n#")), "");
  EXPECT_EQ(mistakes_of(with(kPaper, "about: a", "about: |\n    !a\n#")), "");
}

TEST(SiteFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(mistakes_of(with(kPaper, "net: gni1", "net: gmi1")),
            "4:9: 'gmi1' is no net: 'gmi1' is not a network type\n")
      << "and no finding is about a router";
  EXPECT_THAT(mistakes_of(with(kPaper, "kind: xe", "kind: xc30-single")),
              HasSubstr("did you mean 'xc30-single-hca'?"));
  EXPECT_THAT(mistakes_of(with(kPaper, "addresses:", "adresses:")), HasSubstr("addresses"));
  EXPECT_THAT(mistakes_of(with(kPaper, "10.10.100.102", "10.10.100.101")),
              HasSubstr("nid00090 has the address of nid00068, 10.10.100.101"));
  EXPECT_THAT(mistakes_of(with(kPaper, "10.10.100.102", "10.10.100.2")), HasSubstr("snx11001n002"));
  EXPECT_THAT(mistakes_of(with(kPaper, "nid00090", "nid00068")), HasSubstr("host nid00068"));
  EXPECT_THAT(mistakes_of(with(kPaper, "nid: 90", "nid: 68")), HasSubstr("NID 68@gni1"));
  EXPECT_THAT(mistakes_of(with(kPaper, "nid: 90", "nid: n90")), HasSubstr("'n90' is no address"));
  EXPECT_THAT(mistakes_of(with(kPaper, "\"[750-753]\"", "\"[750-752]\"")),
              HasSubstr("3 words for 4 hosts"));
  EXPECT_THAT(mistakes_of(with(kPaper, "SSUs: 6", "SSUs: 0")), HasSubstr("0 is not from 1 to"));
  EXPECT_THAT(mistakes_of(with(kPaper, "SSUs: 6", "SSUs: -6")),
              HasSubstr("'-6' is not a whole number from 1 to 2000"));
  EXPECT_THAT(mistakes_of(with(kPaper, "SSUs: 6, ", "")), HasSubstr("there are no servers"));
  EXPECT_THAT(mistakes_of(with(kPaper, "cluster: snx11001, ", "")), HasSubstr("'cluster'"));
  EXPECT_THAT(mistakes_of("clients: {}\n"), HasSubstr("file systems"));
  EXPECT_THAT(mistakes_of("clients: 7\nfile systems: []\n"), HasSubstr("NAME: {...}"));
}

// Names become names of files, Ansible's hosts and words in YAML.
TEST(SiteFile, NamesAreSafe) {
  for (const char* name : {"../../evil", "\"a: b\"", "\"a\\nb\"", "-x", ".x", "a/b", "\"\""}) {
    EXPECT_THAT(mistakes_of(with(kPaper, "nid00090", name)), HasSubstr("9:16: ")) << name;
    EXPECT_THAT(mistakes_of(with(kPaper, "    xe:", fmt::format("    {}:", name))),
                HasSubstr("is no name"))
        << name;
    EXPECT_THAT(mistakes_of(with(kPaper, "    home:", fmt::format("    {}:", name))),
                HasSubstr("is no name"))
        << name;
    EXPECT_THAT(mistakes_of(with(kPaper, "snx11001", name)), HasSubstr("15:5: ")) << name;
  }
  EXPECT_THAT(mistakes_of(with(kPaper, "nid00090", "../../evil")),
              HasSubstr("9:16: '../../evil' is no name: up to 128 letters"));
  EXPECT_THAT(mistakes_of(with(kPaper, "nid00090", std::string(129, 'a'))),
              HasSubstr("is no name"));
  EXPECT_EQ(mistakes_of(with(kPaper, "nid00090", "nid90.site-1.example_net")), "");
  EXPECT_THAT(mistakes_of(with(kPaper, "switch: right0", "switch: \"a\\nb\"")),
              HasSubstr("'switch' is not one line"));
  EXPECT_EQ(mistakes_of(with(kPaper, "at: c0-0c0s0n0", "at: \"rack 1, slot 2\"")), "");
}

TEST(SiteFile, NamesOfHostsAreNotThoseOfKindsOfHosts) {
  for (const char* name : {"xe", "clients-xe", "routers-xe", "servers-home"})
    EXPECT_THAT(
        mistakes_of(with(kPaper, "nid00090", name)),
        HasSubstr(fmt::format("host {} has the name that the outputs give to hosts of ", name)));
  EXPECT_EQ(mistakes_of(with(kPaper, "nid00090", "servers-xe")), "");
}

TEST(SiteFile, ServersNeedNetsAndAddressesOfIp4) {
  EXPECT_THAT(mistakes_of(with(kPaper, "net: o2ib6000", "net: gni6000")),
              HasSubstr("15:31: gni6000 is no net of servers"));
  EXPECT_THAT(mistakes_of(with(kPaper, "net: o2ib6000", "net: lo")),
              HasSubstr("lo is no net of servers"));
  EXPECT_THAT(mistakes_of(with(kPaper, "net: gni1", "net: lo")),
              HasSubstr("4:9: lo is no net of clients"));
  EXPECT_EQ(
      mistakes_of(with(kPaper, "first address: 10.10.100.2", "first address: 223.255.255.242")),
      "");
  EXPECT_THAT(
      mistakes_of(with(kPaper, "first address: 10.10.100.2", "first address: 223.255.255.243")),
      HasSubstr("14 servers have no addresses from 223.255.255.243 on"));
  EXPECT_THAT(mistakes_of(with(kPaper, "first address: 10.10.100.2", "first address: 0.0.0.0")),
              HasSubstr("'0.0.0.0' is no IPv4 address"));
}

// Bandwidth matching, whichever of the two numbers is given. XE routers carry 2.6 GB/s, OSSs 3.0.
TEST(SiteFile, SetsOfOsssAndRoutersMatch) {
  const auto numbers = [](const std::string& said) {
    const auto site = read_site(with(kPaper, "SSUs: 6,", "SSUs: 6, " + said));
    if (!site) return std::string("not read");
    return fmt::format("{} for {}", site->file_systems[0].routers_per_group,
                       site->file_systems[0].osss_per_group);
  };
  EXPECT_EQ(numbers(""), "0 for 3") << "each group gets the routers that it needs";
  EXPECT_EQ(numbers("OSSs per group: 6,"), "0 for 6");
  EXPECT_EQ(numbers("routers per group: 8,"), "8 for 6");
  EXPECT_EQ(numbers("routers per group: 2,"), "2 for 1");
  EXPECT_EQ(numbers("routers per group: 2, OSSs per group: 3,"), "2 for 3")
      << "as the site file says";
  EXPECT_EQ(numbers("routers per group: 1,"), "1 for 0") << "the plan reports this";
  EXPECT_EQ(numbers("routers per group: {xe: 8},"), "0 for 6");
  EXPECT_EQ(numbers("routers per group: 2, share of clients: {xe: 0.25},"), "2 for 6");
}

TEST(SiteFile, GroupsMayDifferForClients) {
  const std::string text =
      with(kPaper, "SSUs: 6,", "SSUs: 6, routers per group: {xe: 5}, share of clients: {xe: 0.5},");
  const auto site = read_site(text);
  ASSERT_TRUE(site) << mistakes_of(text);
  EXPECT_EQ(site->file_systems[0].routers_per_group_for(site->clients[0]), 5U);
  EXPECT_EQ(site->file_systems[0].share_of(site->clients[0]), 0.5);
  EXPECT_THAT(mistakes_of(with(text, "{xe: 5}", "{xf: 5}")),
              HasSubstr("15:96: there are no clients 'xf'"));
  EXPECT_THAT(mistakes_of(with(text, "{xe: 5}", "{xe: 0}")),
              HasSubstr("'0' is not a whole number from 1 to 10000"));
  EXPECT_THAT(mistakes_of(with(text, "{xe: 0.5}", "{xe: 1.5}")),
              HasSubstr("'1.5' is no share: from 0.001 to 1"));
  EXPECT_THAT(mistakes_of(with(text, "{xe: 0.5}", "0.5")), HasSubstr("shares of clients are"));
}

TEST(SiteFile, ARouterMayLeadToSeveralFileSystems) {
  std::string text = std::string("switches: {left0: {}, right0: {}}\n") + kPaper +
                     "    work: {cluster: w, net: o2ib7000, kind: sonexion-1600, SSUs: 2, first "
                     "address: 10.10.101.2}\n";
  for (std::size_t at = 0; (at = text.find("0}\n", at)) != std::string::npos; at += 3)
    if (text.rfind("host:", at) > text.rfind('\n', at))
      text.replace(at, 2, "0, file system: [home, work]}");
  text = with(text, ", for: metadata}", ", for: metadata, file system: [home, work]}");
  text = with(text, ", for: metadata}", ", for: metadata, file system: {home: 3, work: 1}}");
  const auto site = read_site(text);
  ASSERT_TRUE(site) << mistakes_of(text);
  const auto& routers = site->clients[0].routers;
  EXPECT_THAT(routers[0].file_systems, ElementsAre(0, 1));
  EXPECT_THAT(routers[1].weights, ElementsAre(3, 1));
  EXPECT_THAT(routers[2].file_systems, ElementsAre(0, 1));
  const auto wrong = [&](const std::string& said) {
    return mistakes_of(with(text, "{home: 3, work: 1}", said));
  };
  EXPECT_THAT(wrong("[home, wrok]"),
              HasSubstr("there is no file system 'wrok' (did you mean 'work'?)"));
  EXPECT_THAT(wrong("[home, home]"), HasSubstr("file system home is there already"));
  EXPECT_THAT(wrong("{home: 0, work: 1}"), HasSubstr("'0' is no weight"));
  EXPECT_THAT(wrong("[]"), HasSubstr("'file system' names none"));
}

TEST(SiteFile, AMisspeltSwitchIsSaidOnceWithItsPlace) {
  const TempFolder folder;
  const std::string name = folder / "site.yaml";
  const auto said = [&](const std::string& text) {
    std::ofstream(name) << text;
    const auto plan = plan_of_file(name);
    return plan ? "planned" : conf::lines_of(plan.error());
  };
  const std::string cure =
      "home, switch lefto: no server of home is plugged into it, and 'switches' does not have it "
      "(did you mean 'left0'?). Correct the switch's name in the site file, or declare the switch "
      "in "
      "'switches'.\n";
  EXPECT_EQ(said(with(kPaper, "switch: left0, for: metadata", "switch: lefto, for: metadata")),
            name + ":8:15: " + cure);
  std::string data = kPaper;
  for (int i = 0; i < 2; ++i) data = with(data, "switch: left0}", "switch: lefto}");
  EXPECT_EQ(said(data), name + ":10:15: " + cure);
  EXPECT_THAT(mistakes_of(std::string("switches: {a: {}, a: {}}\n") + kPaper), HasSubstr("1:"));
  EXPECT_THAT(mistakes_of(std::string("switches: {a: {guid: x}}\n") + kPaper),
              HasSubstr("'x' is no GUID: 16 hexadecimal digits"));
  EXPECT_THAT(mistakes_of(std::string("switches: {a: {guid: 0x1}, b: {guid: 1}}\n") + kPaper),
              HasSubstr("another switch has the GUID 1"));
  EXPECT_THAT(mistakes_of(with(kPaper, "nid: 68,", "nid: 68, guid: 0,")),
              HasSubstr("'0' is no GUID"));
  EXPECT_THAT(mistakes_of(with(kPaper, "\"[750-753]\",", "\"[750-753]\", guid: 0xa1,")),
              HasSubstr("another host has the GUID 0xa1"));
  EXPECT_THAT(mistakes_of(std::string("switches: [a]\n") + kPaper),
              HasSubstr("a switch is NAME: {}"));
}

TEST(SiteFile, HasNoMoreHostsThanAHostHasRoutes) {
  std::string site = kPaper;
  for (int i = 0; i < 600; ++i)  // 120,000 routers
    site.insert(site.find("file systems:"),
                fmt::format("            - {{host: \"r{}x[000-199]\", nid: \"[{}-{}]\", address: "
                            "\"11.{}.{}.[1-200]\", switch: left0}}\n",
                            i, 1000 + i * 200, 1199 + i * 200, i / 200, i % 200));
  const std::string said = mistakes_of(site);
  EXPECT_THAT(said, HasSubstr("more than 65536 routers and servers"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
}

TEST(SiteFile, ServersCanBeListed) {
  const std::string site = with(kPaper, "SSUs: 6, first address: 10.10.100.2}", R"(
        servers: [
          {host: "meta[1-2]", role: mds, address: "10.10.100.[2-3]", switch: left0},
          {host: "oss[0-10/2]", address: "10.10.100.[4-14/2]", switch: left0},
          {host: "oss[1-11/2]", address: "10.10.100.[5-15/2]", switch: right0}]})");
  EXPECT_EQ(mistakes_of(site), "");
  EXPECT_TRUE(plan::make_plan(*read_site(site)));
  EXPECT_THAT(mistakes_of(with(site, "oss[0-10/2]", "oss[0-10/2]x")),
              HasSubstr("oss0x has no number at its end"));
}

TEST(NewSite, IsPlannedUnchanged) {
  for (const std::uint32_t ssus : {1U, 2U, 6U, 7U, 18U, 180U})
    for (const char* kind : {"xe", "xc30-single-hca", "xc30-dual-hca"}) {
      NewSite facts{.ssus = ssus,
                    .cluster = "snx11001",
                    .net = {NetType::kO2ib, 6000},
                    .router_kind = kind,
                    .first_router = ssus % 2 == 0 ? "10.10.104.250" : ""};
      const auto text = new_site(facts);
      ASSERT_TRUE(text);
      EXPECT_EQ(mistakes_of(*text), "");
      const auto plan = plan::make_plan(*read_site(*text));
      ASSERT_TRUE(plan) << ssus << " " << kind << ": " << sentence_of(plan.error().front());
      for (const plan::Group& group : plan->groups)
        if (group.suffix != 0) {
          EXPECT_GE(plan->surplus_of(group, 0), 0);
        }
    }
}

TEST(NewSite, RoutersComeBehindTheServers) {
  const auto text = [](std::uint32_t ssus) {
    return *new_site({.ssus = ssus, .cluster = "c", .net = {NetType::kO2ib, 1}});
  };
  EXPECT_THAT(text(48), HasSubstr("address: \"10.10.100.101\""));
  EXPECT_THAT(text(49), HasSubstr("address: \"10.10.101.1\""));
  EXPECT_THAT(text(180), HasSubstr("address: \"10.10.102.1\""));
}

TEST(NewSite, CanHaveANetAmongServers) {
  NewSite facts{.ssus = 6, .cluster = "c", .net = {NetType::kO2ib, 6000}};
  const auto without = new_site(facts);
  facts.net_among_servers = NetId{NetType::kO2ib, 6500};
  const auto text = new_site(facts);
  EXPECT_EQ(mistakes_of(*text), "");
  EXPECT_EQ(read_site(*text)->file_systems[0].among_servers, facts.net_among_servers);
  EXPECT_EQ(with(*text, "        net among servers: o2ib6500\n", ""), *without);
}

TEST(NewSite, WrongFactsAreSaid) {
  EXPECT_THAT(new_site({.ssus = 1, .router_kind = "xf"}).error().reason, HasSubstr("'xf'"));
  EXPECT_THAT(new_site({.ssus = 1, .first_router = "10.10.1"}).error().reason,
              HasSubstr("'10.10.1' is no IPv4 address"));
  EXPECT_THAT(new_site({.ssus = 180, .first_router = "255.255.255.250"}).error().reason,
              HasSubstr("beyond the last one"));
}

}  // namespace
}  // namespace ulnet::tools::fgr
