#include "admin/conf/diff.h"

#include <gtest/gtest.h>

#include "admin/conf/route_entry.h"
#include "lnet/config/params.h"

namespace ulnet::conf {
namespace {

std::vector<LocalInterface> machine_of_two() {
  return {{.name = "eth0", .addresses = {Nid::parse("10.0.0.1@tcp").value()}},
          {.name = "eth1", .addresses = {Nid::parse("10.0.1.1@tcp").value()}}};
}

tl::expected<Config, Problems> config(std::string_view yaml) {
  const auto document = read_yaml(yaml);
  if (!document) return tl::unexpected(std::vector{document.error()});
  return to_config(*document, machine_of_two());
}

/// Returns "3:5 reason" for each problem.
std::vector<std::string> problems_of(std::string_view yaml) {
  std::vector<std::string> all;
  const auto made = config(yaml);
  if (made) return all;
  for (const Problem& problem : made.error())
    all.push_back(std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) +
                  " " + problem.reason);
  return all;
}
using Texts = std::vector<std::string>;

std::string ni(const std::string& net, const std::string& interface, const std::string& more = {}) {
  return "  - net type: " + net + "\n    local NI(s):\n      - interfaces: {0: " + interface +
         "}\n" + more;
}

TEST(ToConfig, JoinsNetsAndResolvesRules) {
  const auto joined = config("net:\n" + ni("tcp", "eth0") + ni("tcp1", "eth0") + ni("tcp", "eth1") +
                             "ip2nets:\n  - net-spec: tcp2\n    ip-range: {0: 10.0.1.*}\nglobal:\n "
                             " retry_count: 3\nparam:\n  nagle: yes\n");
  ASSERT_TRUE(joined.has_value()) << joined.error().front().reason;
  ASSERT_EQ(joined->nets.size(), 3U);
  EXPECT_EQ(joined->nets[0].nis.size(), 2U);
  EXPECT_EQ(joined->nets[2].nis[0].interface, "eth1");
  EXPECT_EQ(joined->globals.at("retry_count"), 3);
  EXPECT_EQ(joined->params.at("nagle"), "1");
  EXPECT_TRUE(
      config("net:\n  - net type: lo\n    local NI(s):\n      - nid: 0@lo\n")->nets.empty());
}

TEST(ToConfig, EveryProblemIsReportedWithItsPlace) {
  EXPECT_EQ(problems_of("net:\n" + ni("tcp", "eth0") +
                        "global:\n  bogus: 1\n  response_tracking: 10\nparam:\n  nagle: 1\n"
                        "  accept: everybody\n"),
            (Texts{"6:3 invalid key 'bogus'", "7:22 invalid value '10' for key 'response_tracking'",
                   "10:11 " + check_param("accept", "everybody").error().reason}));
  EXPECT_EQ(problems_of("global:\n  discovery: 5\n  retry_count: x\n"),
            (Texts{"2:14 invalid value '5' for key 'discovery'",
                   "3:16 invalid value 'x' for key 'retry_count'"}))
      << "in the text's order";
  EXPECT_EQ(problems_of("net:\n" + ni("tcp", "eth0") + ni("tcp", "eth0")),
            Texts{"5:5 net 'tcp' names the same NI twice"});
  EXPECT_EQ(problems_of("ip2nets:\n  - net-spec: tcp\n    ip-range: {0: 1.1.1.1}\n"),
            Texts{"2:3 No ip2nets rules applied"});
}

TEST(ToConfig, ANetThatNamesNoInterfaceIsNotGivenOne) {
  EXPECT_EQ(problems_of("net:\n  - net type: tcp\n"),
            Texts{"2:5 net 'tcp': creating a local NI needs at least one interface"});
  EXPECT_EQ(problems_of("net:\n  - net type: tcp\n    tunables: {credits: 9}\n").size(), 1U);
}

TEST(ToConfig, DefaultsWithoutRoutingAreAccepted) {  // as production nodes export it
  EXPECT_EQ(problems_of("route:\nrouting:\n    enable: 0\nbuffers:\n    tiny: 0\n    small: 0\n    "
                        "large: 0\n"),
            Texts{});
  EXPECT_EQ(problems_of("routing:\n    - cpt[0]:\n          tiny:\n              npages: 0\n    - "
                        "enable: 0\n"),
            Texts{});
}

/// Returns a configuration with the routes of a text.
Config ways(std::string_view yaml) {
  Config made;
  const auto document = read_yaml(yaml);
  for (const Item& item : document.value().items) {
    const auto routes = routes_of(std::get<RouteEntry>(item.what));
    made.routes.insert(made.routes.end(), routes->begin(), routes->end());
  }
  return made;
}

TEST(ToConfig, RoutesAndRoutingOfAllItems) {  // spec/cli-lnetctl.md 5.2
  const auto made = config(
      "buffers: {tiny: 0}\nroute:\n  - net: tcp1\n    gateway: 10.0.0.[8-9]@tcp\n  - net: tcp2\n"
      "    gateway: 10.0.0.9@tcp\n    hop: 2\nrouting: {enable: 1}\nbuffers: {large: 1}\n");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->routes.size(), 3U);
  EXPECT_EQ(made->routes.back().hops, 2);
  EXPECT_EQ(made->routing, true);
  EXPECT_EQ(made->buffers, (Buffers{0, 0, 1}));
  const auto stops = config("routing:\n  - enable: 2\n");
  ASSERT_TRUE(stops) << "the export of a router that is being turned off";
  EXPECT_FALSE(stops->routing.has_value());
}

TEST(ToConfig, ImpossibleRoutesAreReportedWithTheirPlace) {  // spec/cli-lnetctl.md 5.2
  const auto first = [](const std::string& item) {
    return config("route:\n  - " + item).error().front();
  };
  EXPECT_EQ(first("{net: tcp1, gateway: nobody@tcp}").code, -ENODEV);
  EXPECT_EQ(first("{net: tcp1, gateway: '*@tcp'}").code, -ENODEV);
  EXPECT_EQ(first("{net: tcp1}").code, -ENODEV);
  EXPECT_EQ(first("{net: lo, gateway: 10.0.0.1@tcp}").code, -EACCES);
  EXPECT_EQ(first("{net: bogus, gateway: 10.0.0.1@tcp}").code, -ENOENT);
  EXPECT_EQ(first("{net: 'tcp[0-999]', gateway: '10.0.[0-9].[0-99]@tcp'}").code, -E2BIG);
  EXPECT_EQ(first("{net: tcp1, gateway: 10.0.0.1@tcp, hop: 256}").place, (Place{2, 45}));
  EXPECT_EQ(problems_of(
                "route:\n  - net: tcp1\n    gateway: 10.0.0.[1-2]@tcp\n  - net: tcp1\n    hop: 2\n"
                "    gateway: 10.0.0.2@tcp\n")
                .back(),
            "4:5 route already exists: tcp1 through 10.0.0.2@tcp");
  std::string many = "route:\n";
  for (int i = 0; i < 200; ++i)
    many += "  - {net: 'tcp[0-40000]', gateway: 10.0.0." + std::to_string(i) + "@tcp}\n";
  EXPECT_EQ(problems_of(many), Texts{"3:5 more than 65536 routes"}) << "reported once";
}

TEST(ToConfig, RoutingAndBuffersAreNumbers) {  // spec/cli-lnetctl.md 5.2
  EXPECT_EQ(problems_of("buffers: {tiny: -1}\n"), Texts{"1:17 invalid value '-1' for key 'tiny'"});
  EXPECT_EQ(problems_of("buffers: {tiny: many}\n"),
            Texts{"1:17 invalid value 'many' for key 'tiny'"});
  EXPECT_EQ(problems_of("routing: {enable: yes}\n"),
            Texts{"1:19 invalid value 'yes' for key 'enable'"});
  const Config off =
      config("routing: {enable: 0, seq_no: 3}\nbuffers: {tiny: 0, detail: 1}\n").value();
  EXPECT_EQ(off.routing, false);
  EXPECT_EQ(off.buffers, Buffers{});
}

TEST(ToConfig, PeersInTodaysFormAndInTheDesigns) {  // spec/cli-lnetctl.md 5.2
  const auto made = config(
      "peer:\n  - primary nid: 10.0.0.2@tcp\n    lock_prim: true\n    peer ni:\n"
      "      - nid: 10.0.0.2@tcp\n      - nid: 10.0.1.[2-3]@tcp1\n"
      "  - primary nid: 10.0.0.7@tcp\n    peer state: 273\n"
      "  - primary nid: 10.0.0.8@tcp\n    Multi-Rail: false\n    peer state: 8\n"
      "peers:\n  - nids: {0: 10.0.0.4@tcp, 1: 10.0.1.4@tcp1}\n");
  ASSERT_TRUE(made.has_value()) << made.error().front().reason;
  ASSERT_EQ(made->peers.size(), 3U) << "a peer that was not configured is not in the list";
  EXPECT_EQ(made->peers[0].nids.size(), 2U);
  EXPECT_TRUE(made->peers[0].lock_primary && made->peers[0].multi_rail);
  EXPECT_FALSE(made->peers[1].multi_rail);
  EXPECT_EQ(made->peers[2].primary.to_string(), "10.0.0.4@tcp");
  EXPECT_EQ(made->peers[2].nids.size(), 1U);
  EXPECT_EQ(problems_of("peer:\n  - primary nid: 10.0.0.2@tcp\n  - primary nid: 10.0.0.2@tcp\n"),
            Texts{"3:5 peer 10.0.0.2@tcp is there twice"});
  EXPECT_EQ(problems_of("peer:\n  - primary nid: '*@tcp'\n").size(), 1U);
}

TEST(Difference, PeersComeGoAndChange) {
  const auto peers = [](const std::string& text) { return config("peers:\n" + text).value(); };
  const std::string a = "  - nids: [10.0.0.2@tcp, 10.0.1.2@tcp1]\n";
  const std::string b = "  - nids: [10.0.0.3@tcp]\n";
  EXPECT_TRUE(difference(peers(a + b), peers(b + a)).empty());
  const Difference gone = difference(peers(a + b), peers(b));
  ASSERT_EQ(gone.del_peers.size(), 1U);
  EXPECT_EQ(gone.del_peers[0].primary.to_string(), "10.0.0.2@tcp");
  EXPECT_TRUE(gone.add_peers.empty());
  const Difference more =
      difference(peers(a + b), peers(a + "  - nids: [10.0.0.3@tcp, 10.0.1.3@tcp1]\n"));
  EXPECT_TRUE(more.del_peers.empty()) << "it stays and gets a NID";
  ASSERT_EQ(more.add_peers.size(), 1U);
  const Difference fewer = difference(peers(a), peers("  - nids: [10.0.0.2@tcp]\n"));
  EXPECT_EQ(fewer.del_peers.size(), 1U);
  EXPECT_EQ(fewer.add_peers.size(), 1U);
}

TEST(Difference, RoutesComeGoAndChange) {  // spec/cli-lnetctl.md 5.2
  const Config from =
      ways("route:\n  - {net: 'tcp[1-2]', gateway: [10.0.0.1@tcp, 10.0.0.2@tcp]}\n");
  const Config to = ways(
      "route:\n  - {net: tcp3, gateway: 10.0.0.1@tcp}\n  - {net: tcp2, gateway: 10.0.0.2@tcp, hop: "
      "2}\n"
      "  - {net: tcp1, gateway: '10.0.0.[1-2]@tcp'}\n");
  EXPECT_TRUE(difference(from, from).empty());
  const auto named = [](const std::vector<RouteItem>& routes) {
    std::string names;
    for (const RouteItem& route : routes)
      names += route.net.to_string() + "/" + route.gateway.to_string() + "/" +
               std::to_string(route.hops) + " ";
    return names;
  };
  const Difference changes = difference(from, to);
  EXPECT_EQ(named(changes.del_routes), "tcp2/10.0.0.1@tcp/-1 tcp2/10.0.0.2@tcp/-1 ");
  EXPECT_EQ(named(changes.add_routes), "tcp3/10.0.0.1@tcp/-1 tcp2/10.0.0.2@tcp/2 ");
  EXPECT_FALSE(changes.empty());
}

TEST(Difference, RoutingAndBuffersReturnToTheirDefaults) {  // spec/cli-lnetctl.md 5.2
  Config off;
  Config on;
  on.routing = true;
  on.buffers = Buffers{.tiny = 8};
  EXPECT_EQ(difference(off, on).routing, true);
  EXPECT_EQ(difference(off, on).buffers, on.buffers);
  EXPECT_EQ(difference(on, off).routing, false);
  EXPECT_EQ(difference(on, off).buffers, Buffers{});
  EXPECT_FALSE(difference(on, off).empty());
  off.routing = false;
  off.buffers = Buffers{};
  EXPECT_TRUE(difference({}, off).empty());
}

TEST(Difference, ManyRoutesAreCompared) {
  const auto routes = [](int nets) {
    return ways("route:\n  - {net: 'tcp[1-" + std::to_string(nets) +
                "]', gateway: '10.0.[1-5].[1-100]@tcp'}\n");
  };
  const Config from = routes(20);
  const Config to = routes(21);
  ASSERT_EQ(from.routes.size(), 10'000U);
  EXPECT_EQ(difference(from, to).add_routes.size(), 500U);
  EXPECT_EQ(difference(to, from).del_routes.size(), 500U);
}

TEST(Difference, NothingToDo) {
  const Config same = config("net:\n" + ni("tcp", "eth0")).value();
  EXPECT_TRUE(difference(same, same).empty());
  EXPECT_TRUE(difference({}, {}).empty());
}

TEST(Difference, AddDelSetAndRestart) {
  const Config from = config("net:\n" + ni("tcp", "eth0") + ni("tcp1", "eth0") +
                             ni("tcp2", "eth0") + ni("tcp3", "eth0"))
                          .value();
  const Config to =
      config("net:\n" + ni("tcp", "eth0") +
             ni("tcp1", "eth0", "        lnd tunables: {conns_per_peer: 4}\n") +
             ni("tcp2", "eth0", "        tunables: {credits: 64}\n") + ni("tcp", "eth1"))
          .value();
  const Difference d = difference(from, to);
  ASSERT_EQ(d.set.size(), 1U);
  EXPECT_EQ(d.set[0].net.num, 1);
  ASSERT_EQ(d.del.size(), 2U);
  EXPECT_EQ(d.del[0].net.num, 3);
  EXPECT_EQ(d.del[1].net.num, 2) << "other tunables need a restart of the NI";
  ASSERT_EQ(d.add.size(), 2U);
  EXPECT_EQ(d.add[0].ni.interface, "eth1");
  EXPECT_EQ(d.add[1].net.num, 2);
}

TEST(Difference, SettingsNoLongerNamedReturnToTheirDefaults) {
  const Config from =
      config("global:\n  retry_count: 5\n  discovery: 0\nparam:\n  nagle: 1\n  accept_timeout: 5\n")
          .value();
  const Config to =
      config("global:\n  discovery: 0\n  numa_range: 9\nparam:\n  wait: spin\n").value();
  const Difference d = difference(from, to);
  EXPECT_EQ(d.globals,
            (std::map<std::string, std::int64_t>{{"numa_range", 9}, {"retry_count", 2}}));
  EXPECT_EQ(d.params, (std::map<std::string, std::string>{{"nagle", "0"}, {"wait", "spin"}}));
}

}  // namespace
}  // namespace ulnet::conf
