#include "fgr/verify/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fgr/verify/real_site_fixture.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Nid nid_of_text(const char* nid) { return *Nid::parse(nid); }
std::vector<std::string> hosts_that_are(const VerifyChecks& checks, HostKind kind) {
  std::vector<std::string> names;
  for (const VerifyHost& host : checks.hosts)
    if (host.is(kind)) names.push_back(host.name);
  return names;
}

TEST(Verify, APlannedSiteIsRight) {
  RealSite site;
  const VerifyVerdict verdict = diagnose(site.checks(), site.seen(), {});
  EXPECT_THAT(verdict.suspects, IsEmpty());
  EXPECT_EQ(verdict.asked, 34U);
  EXPECT_EQ(verdict.pings, verdict.answered);
  EXPECT_GT(verdict.pings, 200U);
}

TEST(Verify, AsksForEachNetOfEachGroup) {
  const RealSite site;
  const VerifyChecks& checks = site.checks();
  const auto pinged = [&](const char* from) {
    std::vector<std::string> nids;
    for (const PingTarget& target : checks.pings[*checks.find(from)])
      nids.push_back(target.nid.to_string());
    return nids;
  };
  EXPECT_THAT(pinged("nid00068"), ElementsAre("10.10.100.2@o2ib6000", "10.10.100.3@o2ib6000"));
  EXPECT_EQ(pinged("nid00750").size(), 2U + 3U + 3U) << "its group, metadata, the neighbour's";
  EXPECT_EQ(pinged("snx11001n002").size(), 18U);
  EXPECT_EQ(pinged("client1").size(), 18U + 14U);
}

TEST(Verify, ADeadHostIsOneSuspect) {
  for (const HostKind kind : {HostKind::kRouter, HostKind::kServer})
    for (const std::string& name : hosts_that_are(RealSite().checks(), kind)) {
      RealSite site;
      site[name].dead = true;
      EXPECT_THAT(site.suspects(), ElementsAre("host dead: " + name));
      site.ask_only(kind == HostKind::kRouter ? "client1" : "client2");
      if (kind == HostKind::kRouter) {
        EXPECT_THAT(site.suspects(), ElementsAre("host dead: " + name)) << "seen from a client";
      }
    }
}

TEST(Verify, DeadHostsOfANetAndNotTheRoutersThere) {
  RealSite site;
  std::vector<std::string> expected;
  for (const char* name : {"snx11001n004", "snx11001n006", "snx11001n008"}) {
    site[name].dead = true;
    expected.push_back(fmt::format("host dead: {}", name));
  }
  EXPECT_THAT(site.suspects(), testing::UnorderedElementsAreArray(expected));
  for (const std::string& name : hosts_that_are(site.checks(), HostKind::kRouter))
    site[name].asked = false;
  for (std::string& text : expected) text.replace(0, 9, "host not-reached");
  EXPECT_THAT(site.suspects(), testing::UnorderedElementsAreArray(expected))
      << "the pings of clients and other servers show it";
  RealSite clients;
  for (const char* name : {"client1", "client2"}) clients[name].dead = true;
  EXPECT_THAT(clients.suspects(), ElementsAre("host not-asked: client1 client2"));
}

TEST(Verify, AnInterfaceOfARouterThatSaysItIsDown) {
  const RealSite site;
  auto seen = site.seen();
  const std::size_t router = *site.checks().find("nid00750");
  const auto suspect_names = [&] {
    std::vector<std::string> names;
    for (const VerifySuspect& one : diagnose(site.checks(), seen, {}).suspects)
      names.push_back(one.cause + " " + one.name);
    return names;
  };
  // The router does not yet know that messages have arrived there since.
  seen[router].nis[0].up = false;
  EXPECT_THAT(suspect_names(), IsEmpty());
  for (HostSeen& each : seen)
    for (SeenPing& ping : each.pings)
      if (ping.target.nid == seen[router].nis[0].nid) ping.answered = false;
  EXPECT_THAT(suspect_names(), ElementsAre("ni-down nid00750 750@gni1"));
  // Only the router was asked, and no other host.
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (i != router) seen[i] = {};
  EXPECT_THAT(suspect_names(), ElementsAre("ni-down nid00750 750@gni1"));
  seen = site.seen();
  SeenNi& ni = *std::ranges::find(seen[router].nis, NetId{NetType::kO2ib, 6002},
                                  [](const SeenNi& one) { return one.nid.net(); });
  ni.up = false;
  for (SeenPing& ping : seen[router].pings)
    if (ping.target.nid.net() == ni.nid.net()) ping.answered = false;
  for (HostSeen& each : seen)
    for (SeenPing& ping : each.pings)
      if (ping.target.nid == ni.nid) ping.answered = false;
  EXPECT_THAT(suspect_names(), ElementsAre("ni-down nid00750 " + ni.nid.to_string()))
      << "one of several nets there";
}

TEST(Verify, ACutCableIsOneSuspect) {
  for (const HostKind kind : {HostKind::kRouter, HostKind::kServer})
    for (const std::string& name : hosts_that_are(RealSite().checks(), kind)) {
      RealSite site;
      site[name].cut = true;
      EXPECT_THAT(site.suspects(), ElementsAre("cable unreachable: " + name));
    }
}

TEST(Verify, ExchangedCablesAreOneSuspect) {
  for (const HostKind kind : {HostKind::kRouter, HostKind::kServer}) {
    const auto names = hosts_that_are(RealSite().checks(), kind);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t k = i + 1; k < names.size(); ++k) {
        RealSite site;
        auto &one = site[names[i]], &other = site[names[k]];
        // ip2nets gives a host the nets of its address.
        std::swap(one.nids, other.nids);
        if (kind == HostKind::kRouter) std::swap(one.nids[0], other.nids[0]);
        EXPECT_THAT(site.suspects(),
                    ElementsAre(fmt::format("cable exchanged: {} {}", names[i], names[k])));
      }
  }
}

TEST(Verify, ExchangedRoutersAreSeenFromAServer) {
  RealSite site;
  std::swap(site["nid00750"].nids, site["nid00751"].nids);
  std::swap(site["nid00750"].nids[0], site["nid00751"].nids[0]);
  site.ask_only("snx11001n004");
  EXPECT_THAT(site.suspects(), ElementsAre("cable exchanged: nid00750 nid00751"));
}

TEST(Verify, AnAddressThatIsThereTwiceIsOneSuspect) {
  RealSite site;
  site["snx11001n006"].nids = {nid_of_text("10.10.100.4@o2ib6002")};
  EXPECT_THAT(site.suspects(), ElementsAre("host duplicate-address: snx11001n006 snx11001n004"));
  site["snx11001n006"].nids = {nid_of_text("10.10.100.99@o2ib6002")};
  EXPECT_THAT(site.suspects(), ElementsAre("host wrong-address: snx11001n006"));
}

TEST(Verify, AnAddressWithAnotherHost) {
  RealSite site;
  // A router answers at a server's address, as another router sees it; neither of the two was
  // asked.
  site["nid00751"].nids.push_back(nid_of_text("10.10.100.4@o2ib6002"));
  site["snx11001n004"].nids.clear();
  site.ask_only("nid00750");
  EXPECT_THAT(site.suspects(), ElementsAre(HasSubstr("nid00751")));
}

TEST(Verify, NetsOfAnotherGroup) {
  RealSite site;
  site["snx11001n004"].nids = {nid_of_text("10.10.100.4@o2ib6003")};
  EXPECT_THAT(site.suspects(), ElementsAre("file wrong-parity: snx11001n004"));
  site["snx11001n004"].nids = {nid_of_text("10.10.100.4@o2ib6004")};
  EXPECT_THAT(site.suspects(), ElementsAre("file wrong-group: snx11001n004"));
  site["snx11001n004"].nids.push_back(nid_of_text("10.10.100.4@o2ib6002"));
  EXPECT_THAT(site.suspects(), ElementsAre("file other-nets: snx11001n004"));
  site["snx11001n004"].nids.clear();
  EXPECT_THAT(site.suspects(), ElementsAre("file missing-nets: snx11001n004"));
  RealSite routers;
  auto& nids = routers["nid00618"].nids;
  const auto there =
      std::ranges::find_if(nids, [](const Nid& nid) { return nid.net().num == 6003; });
  ASSERT_NE(there, nids.end());
  *there = Nid::small({NetType::kO2ib, 6002}, there->address4());
  const VerifyVerdict verdict = diagnose(routers.checks(), routers.seen(), {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].name, "lnetctl/nid00618.yaml");
  EXPECT_THAT(verdict.suspects[0].what,
              HasSubstr("group 002 is at switch left0, and nid00618 at right0"));
}

/// Replaces the host's first NID on the net with number `from` by one on the net with number `to`;
/// 0: removes it.
void renumber(RealSite& site, const std::string& host, int from, int to) {
  auto& nids = site[host].nids;
  const auto at = std::ranges::find_if(nids, [&](const Nid& nid) { return nid.net().num == from; });
  ASSERT_NE(at, nids.end());
  if (to == 0)
    nids.erase(at);
  else
    *at = Nid::small({NetType::kO2ib, static_cast<std::uint16_t>(to)}, at->address4());
}

TEST(VerifyAmongServers, TheyPingTheMgsAndTheMds) {
  RealSite site(paper_site_with_net_among_servers());
  const RealSite without;
  const VerifyVerdict verdict = diagnose(site.checks(), site.seen(), {});
  EXPECT_THAT(verdict.suspects, IsEmpty());
  EXPECT_EQ(verdict.pings, diagnose(without.checks(), without.seen(), {}).pings + 12 * 2 + 2);
  EXPECT_EQ(verdict.answered, verdict.pings);
  std::set<std::string> pinged;
  for (const PingTarget& target : site.checks().pings[*site.checks().find("snx11001n004")])
    if (target.nid.net().num == 6500) pinged.insert(target.nid.to_string());
  EXPECT_THAT(pinged, ElementsAre("10.10.100.2@o2ib6500", "10.10.100.3@o2ib6500"));
}

TEST(VerifyAmongServers, OnlyServersHaveIt) {
  const Site planned = paper_site_with_net_among_servers();
  for (const char* const name : {"snx11001n002", "snx11001n004"}) {
    RealSite site(planned);
    renumber(site, name, 6500, 0);
    EXPECT_THAT(site.suspects(), ElementsAre(fmt::format("file missing-nets: {}", name)));
  }
  RealSite other(planned);
  renumber(other, "snx11001n004", 6500, 6501);
  EXPECT_THAT(other.suspects(), ElementsAre("file other-nets: snx11001n004"));
  const auto verdict = diagnose(other.checks(), other.seen(), {});
  EXPECT_THAT(verdict.suspects[0].what, HasSubstr("has o2ib6501, and lacks o2ib6500"));
  RealSite router(planned);
  router["nid00750"].nids.push_back(nid_of_text("10.10.100.103@o2ib6500"));
  EXPECT_THAT(router.suspects(), ElementsAre("file other-nets: nid00750"));
}

TEST(VerifyAmongServers, GroupsAreJudgedAsWithoutIt) {
  const Site planned = paper_site_with_net_among_servers();
  RealSite parity(planned);
  renumber(parity, "snx11001n004", 6002, 6003);
  EXPECT_THAT(parity.suspects(), ElementsAre("file wrong-parity: snx11001n004"));
  RealSite group(planned);
  renumber(group, "snx11001n004", 6002, 6004);
  EXPECT_THAT(group.suspects(), ElementsAre("file wrong-group: snx11001n004"));
  const auto servers = hosts_that_are(parity.checks(), HostKind::kServer);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    RealSite dead(planned), cut(planned), exchanged(planned);
    dead[servers[i]].dead = true;
    EXPECT_THAT(dead.suspects(), ElementsAre("host dead: " + servers[i]));
    cut[servers[i]].cut = true;
    EXPECT_THAT(cut.suspects(), ElementsAre("cable unreachable: " + servers[i]));
    const std::string& other = servers[(i + 1) % servers.size()];
    std::swap(exchanged[servers[i]].nids, exchanged[other].nids);
    EXPECT_THAT(exchanged.suspects(),
                ElementsAre(fmt::format("cable exchanged: {} {}", std::min(servers[i], other),
                                        std::max(servers[i], other))));
  }
  RealSite link(planned);
  link.cut_link("left0", "right0");
  EXPECT_THAT(link.suspects(), ElementsAre("cable link: "));
}

TEST(VerifyAmongServers, AServerThatDoesNotReachTheMgsOnIt) {
  const RealSite site(paper_site_with_net_among_servers());
  auto seen = site.seen();
  for (SeenPing& ping : seen[*site.checks().find("snx11001n004")].pings)
    if (ping.target.nid == nid_of_text("10.10.100.2@o2ib6500")) ping.answered = false;
  const VerifyVerdict verdict = diagnose(site.checks(), seen, {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].cause, "path");
  EXPECT_EQ(verdict.suspects[0].name, "snx11001n002 - snx11001n004");
}

TEST(Verify, MistakesInRoutesAreOfOneFile) {
  RealSite site;
  const NetId gni{NetType::kGni, 1}, even{NetType::kO2ib, 6002};
  const std::vector<std::string> group = {"snx11001n004", "snx11001n006", "snx11001n008"};
  for (const std::string& name : group) site[name].routes.pop_back();
  const VerifyVerdict verdict = diagnose(site.checks(), site.seen(), {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].cause, "missing-routes");
  EXPECT_EQ(verdict.suspects[0].name, "modprobe/servers-home.conf");
  EXPECT_EQ(verdict.suspects[0].hosts, group);
  for (const std::string& name : group)
    std::erase_if(site[name].routes, [&](const SeenRoute& route) { return route.net == gni; });
  EXPECT_THAT(site.suspects(),
              ElementsAre("file one-sided-routes: " + group[0] + " " + group[1] + " " + group[2]));

  RealSite clients;
  std::erase_if(clients["client2"].routes,
                [&](const SeenRoute& route) { return route.net == even; });
  EXPECT_THAT(clients.suspects(), ElementsAre("file missing-routes: client2"));
  for (SeenRoute& route : clients["client1"].routes)
    if (route.net == even) route.hops = 3 - route.hops;
  EXPECT_THAT(clients.suspects(),
              ElementsAre("file wrong-hops: client1", "file missing-routes: client2"));
  clients["client2"] = RealSite()["client2"];
  clients["client1"] = RealSite()["client1"];
  clients["client1"].routes.push_back({even, nid_of_text("68@gni1"), 1, true, ""});
  EXPECT_THAT(clients.suspects(), ElementsAre("file unplanned-routes: client1"));
}

TEST(Verify, ARouterThatDoesNotRoute) {
  RealSite site;
  site["nid00750"].routing = false;
  EXPECT_THAT(site.suspects(), ElementsAre("file not-routing: nid00750"));
  site["nid00750"].asked = false;
  EXPECT_THAT(site.suspects(), ElementsAre("host routes-down: nid00750"))
      << "the routes of other hosts show it";
  RealSite server;
  server["snx11001n004"].routing = true;
  EXPECT_THAT(server.suspects(), ElementsAre("file unplanned-routing: snx11001n004"));
}

TEST(Verify, ALinkBetweenSwitches) {
  RealSite site;
  site.cut_link("left0", "right0");
  EXPECT_THAT(site.suspects(), ElementsAre("cable link: "));
}

TEST(Verify, PingsThatFailWhileOthersDoNot) {
  const RealSite site;
  const auto lose = [](HostSeen& seen, std::size_t host) {
    for (SeenPing& ping : seen.pings)
      if (ping.target.host == host) ping.answered = false;
  };
  auto seen = site.seen();
  const std::size_t server = *site.checks().find("snx11001n004");
  lose(seen[*site.checks().find("nid00750")], server);
  VerifyVerdict verdict = diagnose(site.checks(), seen, {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].cause, "path");
  EXPECT_EQ(verdict.suspects[0].name, "nid00750 - snx11001n004");
  lose(seen[*site.checks().find("nid00751")], server);
  verdict = diagnose(site.checks(), seen, {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].cause, "unreliable");
  EXPECT_EQ(verdict.suspects[0].name, "snx11001n004");
  seen = site.seen();
  lose(seen[*site.checks().find("client1")], server);
  verdict = diagnose(site.checks(), seen, {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].cause, "not-reached");
  EXPECT_THAT(verdict.suspects[0].what, HasSubstr("1 client gets no answer"));
}

TEST(Verify, MissingRoutesOfAHostExplainItsFailedPings) {
  const RealSite site;
  auto seen = site.seen();
  const std::size_t server = *site.checks().find("snx11001n004");
  // One router of the group reaches it; between it and the others no message passes in either
  // direction.
  const auto is_lost = [&](std::size_t one, std::size_t other) {
    return (one == server && site.checks().hosts[other].name != "nid00750") ||
           (other == server && site.checks().hosts[one].name != "nid00750");
  };
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (SeenPing& ping : seen[i].pings)
      if (is_lost(i, ping.target.host)) ping.answered = false;
  const auto causes = [&] { return RealSite::texts_of(diagnose(site.checks(), seen, {})); };
  EXPECT_THAT(causes(), ElementsAre("port unreliable: snx11001n004"));
  seen[server].routes.clear();
  EXPECT_THAT(causes(), ElementsAre("file missing-routes: snx11001n004"));
  // If a router pings only one host, the failure does not count against the router.
  for (std::size_t i = 0; i < seen.size(); ++i)
    std::erase_if(seen[i].pings,
                  [&](const SeenPing& ping) { return !is_lost(i, ping.target.host); });
  EXPECT_THAT(causes(),
              ElementsAre("file missing-routes: snx11001n004", "cable unreachable: snx11001n004"));
}

TEST(Verify, AHostWithSeveralWrongAddressesIsOneSuspect) {
  RealSite site;
  auto& nids = site["nid00750"].nids;
  nids[0] = nid_of_text("999@gni1");
  for (std::size_t i = 1; i < nids.size(); ++i)
    nids[i] = Nid::small(nids[i].net(), 0x0a0a6500 + static_cast<Address>(i));
  EXPECT_THAT(site.suspects(), ElementsAre("host wrong-address: nid00750"));
  EXPECT_THAT(diagnose(site.checks(), site.seen(), {}).suspects[0].what,
              HasSubstr("has the addresses 10.10.101.1, 10.10.101.2, "));
}

TEST(Verify, AnUnaskedHostThatAnswersPings) {
  const RealSite site;
  auto seen = site.seen();
  for (const char* name : {"nid00750", "snx11001n002"}) {
    HostSeen& one = seen[*site.checks().find(name)];
    one = {};
    one.state = SeenState::kSilent;
    one.trouble = "Permission denied";
  }
  const VerifyVerdict verdict = diagnose(site.checks(), seen, {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].cause, "not-asked");
  EXPECT_THAT(verdict.suspects[0].seen,
              ElementsAre("nid00750: Permission denied", "snx11001n002: Permission denied"));
  seen = std::vector<HostSeen>(site.checks().hosts.size());
  EXPECT_THAT(diagnose(site.checks(), seen, {}).suspects, IsEmpty()) << "nobody was asked";
}

TEST(Verify, AnInterfaceThatSaysItIsDown) {
  RealSite site;
  site["snx11001n004"].cut = true;
  auto seen = site.seen();
  seen[*site.checks().find("snx11001n004")].nis[0].up = false;
  const VerifyVerdict verdict = diagnose(site.checks(), seen, {});
  ASSERT_EQ(verdict.suspects.size(), 1U);
  EXPECT_EQ(verdict.suspects[0].kind, VerifySuspect::Kind::kPort);
  EXPECT_EQ(verdict.suspects[0].name, "snx11001n004 10.10.100.4@o2ib6002");
}

TEST(Verify, CablesInTheWrongSwitch) {
  const RealSite site;
  std::vector<SeenCable> cables;
  for (const VerifyHost& host : site.checks().hosts)
    if (!host.at_switch.empty())
      cables.push_back({host.name, "guid of " + host.name, host.at_switch == "left0" ? "a1" : "b2",
                        "", static_cast<std::uint32_t>(cables.size() + 1)});
  EXPECT_THAT(site.suspects(cables), IsEmpty()) << "the hosts at a switch identify it";
  const auto cable = [&](const char* name) {
    return std::ranges::find(cables, name, &SeenCable::host);
  };
  cable("nid00750")->switch_guid = "b2";
  EXPECT_THAT(site.suspects(cables), ElementsAre("cable wrong-switch: nid00750"));
  cable("snx11001n005")->switch_guid = "a1";
  EXPECT_THAT(site.suspects(cables), ElementsAre("cable exchanged: nid00750 snx11001n005"));
  cable("snx11001n007")->switch_guid = "a1";
  EXPECT_EQ(site.suspects(cables).size(), 3U) << "the other end of the exchange is not known";
  cable("nid00750")->switch_guid = "a1";
  cable("snx11001n005")->switch_guid = cable("snx11001n007")->switch_guid = "b2";
  cables.push_back({"nid00750", "its second port", "b2", "", 40});
  EXPECT_THAT(site.suspects(cables), IsEmpty()) << "one address, and one cable is where it belongs";
  cables.pop_back();
  for (SeenCable& one : cables) one.switch_name = one.switch_guid == "a1" ? "right0" : "left0";
  EXPECT_EQ(site.suspects(cables).size(), cables.size()) << "descriptions are believed";
}

}  // namespace
}  // namespace ulnet::plan
