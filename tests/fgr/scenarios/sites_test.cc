// Random sites: their plans keep the promises of a plan, and nodes that read the options have the
// nets and the routes of the plan.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fgr/plan/lab_topology.h"
#include "fgr/plan/options.h"
#include "lab/topology/addresses.h"
#include "lab/topology/reader.h"
#include "lab/topology/scenario_text.h"
#include "lnet/base/sanitizers_fixture.h"
#include "lnet/config/modparams.h"
#include "lnet/config/routes.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"
#include "tests/fgr/scenarios/module_options.h"
#include "tests/fgr/scenarios/random_site.h"

namespace ulnet::plan {
namespace {

constexpr int kSites = kAddressSanitizer ? 15 : 100;
/// The number of sites for tests that need little time per site.
constexpr int kManySites = kAddressSanitizer ? 50 : 3000;

Plan plan_of(std::uint64_t seed) {
  auto plan = make_plan(RandomSite(seed).make());
  EXPECT_TRUE(plan) << "seed " << seed << ": " << sentence_of(plan.error().front());
  return plan ? std::move(*plan) : Plan{};
}

struct RouteOfPlan {
  NetId net;
  Nid gateway;
  int hops;
  auto operator<=>(const RouteOfPlan&) const = default;
};
std::set<RouteOfPlan> routes_in(const std::string& options) {
  const auto routes = conf::routes_of_param(param_of(options, "routes"));
  EXPECT_TRUE(routes) << routes.error().reason;
  std::set<RouteOfPlan> found;
  if (!routes) return found;
  for (const conf::RouteItem& route : *routes)
    EXPECT_TRUE(found.insert({route.net, route.gateway, route.hops}).second) << "twice";
  return found;
}

/// The nets that the options give to a machine with these addresses, in their order.
std::vector<std::string> nets_in_order(const std::string& options,
                                       const std::vector<Address>& addresses) {
  std::vector<conf::LocalInterface> interfaces;
  for (const Address address : addresses)
    interfaces.push_back({.name = fmt::format("if{}", interfaces.size()),
                          .addresses = {Nid::small({NetType::kTcp, 0}, address)}});
  const auto nets = conf::resolve_networks("", param_of(options, "ip2nets"), interfaces);
  EXPECT_TRUE(nets) << nets.error().reason;
  std::vector<std::string> names;
  if (nets)
    for (const conf::NetItem& net : *nets) names.push_back(net.net.to_string());
  return names;
}
std::set<std::string> nets_of(const std::string& options, const std::vector<Address>& addresses) {
  const auto nets = nets_in_order(options, addresses);
  return {nets.begin(), nets.end()};
}

template <class Check>
void for_sites(int sites, Check&& check) {
  for (std::uint64_t seed = 1;
       seed <= static_cast<std::uint64_t>(sites) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    check(plan_of(seed));
  }
}

TEST(Sites, EachServerIsInOneGroupAndPathsCrossNoLinkBetweenSwitches) {
  for_sites(kManySites, [](const Plan& plan) {
    std::set<std::pair<std::size_t, std::size_t>> placed;
    for (const Group& group : plan.groups) {
      const FileSystem& system = plan.site.file_systems[group.file_system];
      for (const std::size_t each : group.servers) {
        const Server& server = system.servers[each];
        EXPECT_TRUE(placed.emplace(group.file_system, each).second) << server.host;
        if (system.flat()) continue;
        EXPECT_EQ(server.metadata(), group.suffix == 0);
        if (server.metadata()) continue;
        if (system.layout == FileSystem::Layout::kSides) {
          EXPECT_EQ(server.number % 2, group.suffix % 2);
        }
        EXPECT_EQ(server.at_switch, group.at_switch);
      }
      for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
        const ClientSystem& clients = plan.site.clients[client];
        const GroupRouters& routers = group.routers[client];
        const bool leads = std::ranges::any_of(clients.routers, [&](const Router& router) {
          return router.leads_to(group.file_system);
        });
        EXPECT_EQ(routers.primary.empty(), !leads);
        if (!leads) continue;
        const std::uint32_t wanted = system.routers_per_group_for(clients);
        if (wanted != 0 && group.suffix != 0) {
          EXPECT_EQ(routers.primary.size(), wanted);
        }
        if (wanted == 0 && !system.flat()) {
          EXPECT_GE(plan.surplus_of(group, client), -1e-9);
        }
        EXPECT_TRUE(system.secondary_routes || routers.secondary.empty());
        std::set<std::size_t> all(routers.primary.begin(), routers.primary.end());
        for (const auto* some : {&routers.primary, &routers.secondary})
          for (const std::size_t router : *some)
            EXPECT_TRUE(group.suffix == 0 || clients.routers[router].at_switch == group.at_switch);
        all.insert(routers.secondary.begin(), routers.secondary.end());
        EXPECT_EQ(all.size(), routers.primary.size() + routers.secondary.size());
      }
    }
    std::size_t servers = 0;
    for (const FileSystem& system : plan.site.file_systems) servers += system.servers.size();
    EXPECT_EQ(placed.size(), servers);
  });
}

/// Expects that each such net is on all servers of its file system and on no other host.
void expect_nets_among_servers(const Plan& plan, const tools::lab::Topology& topology) {
  std::map<std::string, std::size_t> expected, found;
  for (const FileSystem& system : plan.site.file_systems)
    if (system.among_servers)
      expected[fmt::format("tcp{}", system.among_servers->num)] = system.servers.size();
  for (const tools::lab::Node& node : topology.nodes)
    for (const tools::lab::Rail& rail : node.rails) {
      const std::string net = topology.net_of(rail).id.to_string();
      if (expected.contains(net)) ++found[net];
    }
  EXPECT_EQ(found, expected);
}

TEST(Sites, TheirLaboratoriesHaveTheSameNetsAndRoutes) {
  for_sites(kSites, [](const Plan& plan) {
    const std::string text = lab_topology(plan, {});
    const auto topology = tools::lab::read_topology(text, "site");
    ASSERT_TRUE(topology) << conf::lines_of(topology.error()) << text;
    std::size_t nodes = 0, routes = 0;
    for (const ClientSystem& clients : plan.site.clients) nodes += 2 + clients.routers.size();
    for (const FileSystem& system : plan.site.file_systems) nodes += system.servers.size();
    EXPECT_EQ(topology->nodes.size(), nodes);
    for (const Group& group : plan.groups)
      for (std::size_t client = 0; client < group.routers.size(); ++client)
        for (const int hops : kHops)
          for (const std::size_t router : group.routers[client].of(hops))
            routes += 2 + group.servers.size() *
                              plan.site.clients[client].routers[router].addresses.size();
    for (const tools::lab::Node& node : topology->nodes)
      if (!node.routing) routes -= node.routes.size();
    EXPECT_EQ(routes, 0U);
    expect_nets_among_servers(plan, *topology);
  });
}

/// Each client gets 64 KiB from each OSS, in the simulator. Returns the share of those bytes that
/// crossed links between switches of the fabric; bytes that cross two links count twice.
double crossing(const Plan& plan) {
  auto topology = tools::lab::read_topology(lab_topology(plan, {}), "site");
  EXPECT_TRUE(topology && tools::lab::give_addresses(*topology, tools::lab::kNamespaceBase));
  for (tools::lab::Node& node : topology->nodes)  // only links of the fabric remain
    for (tools::lab::Rail& rail : node.rails) rail.wire = {};
  std::set<std::string> osss;
  for (const FileSystem& system : plan.site.file_systems)
    for (const Server& server : system.servers)
      if (!server.metadata()) osss.insert(server.host);
  std::vector<tools::lab::NodeNumber> from, to;
  for (tools::lab::NodeNumber i = 0; i < topology->nodes.size(); ++i) {
    const tools::lab::Node& node = topology->nodes[i];
    if (osss.contains(node.name)) to.push_back(i);
    if (node.name.starts_with("clients") && !node.routing) from.push_back(i);
  }
  const double payload = static_cast<double>(from.size() * to.size()) * 65536;
  const std::string text =
      tools::lab::scenario_text(*topology) +
      fmt::format(
          "workload:\n    - {{what: get, from: {}, to: {}, count: {}, size: 64KiB}}\n"
          "expect: {{delivered: {}, failed: 0, drops: {{total: 0}}}}\n",
          tools::lab::scenario_names(*topology, from), tools::lab::scenario_names(*topology, to),
          to.size(), from.size() * to.size());
  const auto scenario = sim::read_scenario(text);
  EXPECT_TRUE(scenario) << conf::lines_of(scenario.error());
  if (!scenario) return 0;
  const sim::Report report = sim::Run(*scenario).go();
  EXPECT_TRUE(report.good()) << report.what << fmt::format("{}", fmt::join(report.unmet, "\n"));
  std::uint64_t bytes = 0;
  for (const sim::LinkUse& link : report.switch_links) bytes += link.counters.bytes;
  return static_cast<double>(bytes) / payload;
}

TEST(Sites, FineGrainedTrafficCrossesNoLinkBetweenSwitches) {
  for (const std::uint64_t seed : {3, 4}) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Site site = RandomSite(seed).make();
    // Clients that learn a server's NID on the net among servers send none of their messages to it.
    for (FileSystem& system : site.file_systems)
      system.among_servers = NetId{NetType::kO2ib, static_cast<std::uint16_t>(system.base.num - 1)};
    EXPECT_LT(crossing(*make_plan(site)), 0.05);
    for (FileSystem& system : site.file_systems) system.layout = FileSystem::Layout::kFlat;
    EXPECT_GT(crossing(*make_plan(site)), 0.3);
    if (kAddressSanitizer) break;
  }
}

TEST(Sites, RoutesOfBothSidesAreMirrorImages) {
  for_sites(kManySites, [](const Plan& plan) {
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const ClientSystem& clients = plan.site.clients[client];
      const auto there = routes_in(client_options(plan, client).text());
      EXPECT_EQ(there, routes_in(router_options(plan, client).text()));
      std::set<RouteOfPlan> back;
      for (std::size_t system = 0; system < plan.site.file_systems.size(); ++system)
        for (const RouteOfPlan& route : routes_in(server_options(plan, system).text()))
          if (route.net == clients.net) back.insert(route);
      std::size_t expected = 0;
      for (const Router& router : clients.routers)
        for (const Group& group : plan.groups)
          for (const int hops : kHops) {
            const bool leads = there.contains({group.net, router.client_nid, hops});
            expected += leads ? router.addresses.size() : 0;
            for (const Address address : router.addresses)
              EXPECT_EQ(leads, back.contains({clients.net, Nid::small(group.net, address), hops}))
                  << router.host << " to " << group.net.to_string();
          }
      EXPECT_EQ(expected, back.size());
    }
  });
}

TEST(Sites, NodesHaveTheNetsOfTheirGroupsAndNoOthers) {
  for_sites(kSites, [](const Plan& plan) {
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const ClientSystem& clients = plan.site.clients[client];
      const Address inside = address_of_client(client);
      const std::set<std::string> own = {clients.net.to_string()};
      EXPECT_EQ(nets_of(client_options(plan, client).text(), {inside}), own);
      const std::string options = router_options(plan, client).text();
      for (std::size_t i = 0; i < clients.routers.size(); i += 7) {
        std::set<std::string> expected = own;
        for (const Group& group : plan.groups)
          for (const auto* some :
               {&group.routers[client].primary, &group.routers[client].secondary})
            if (std::ranges::find(*some, i) != some->end()) expected.insert(group.net.to_string());
        const Router& router = clients.routers[i];
        EXPECT_EQ(
            nets_of(options, {own_address(plan.site, client, router), router.addresses.front()}),
            expected);
      }
    }
    for (const Group& group : plan.groups) {
      const std::string options = server_options(plan, group.file_system).text();
      const FileSystem& system = plan.site.file_systems[group.file_system];
      std::set<std::string> expected = {group.net.to_string()};
      if (system.among_servers) expected.insert(system.among_servers->to_string());
      for (const std::size_t server : group.servers)
        EXPECT_EQ(nets_of(options, {system.servers[server].address}), expected);
    }
  });
}

/// The value as modprobe hands it to the module: without a backslash and the end of its line.
std::string handed_over(std::string line) {
  line = line.substr(line.find('"') + 1, line.rfind('"') - line.find('"') - 1);
  for (std::size_t at = line.find("\\\n"); at != std::string::npos; at = line.find("\\\n"))
    line.erase(at, 2);
  return line;
}

void expect_both_forms_equal(const Plan& plan, HostConfig::Kind kind, std::size_t system,
                             const std::vector<std::vector<Address>>& hosts) {
  const ModuleOptions brief = options_of(plan, kind, system, ListForm::kShort);
  const ModuleOptions full = options_of(plan, kind, system, ListForm::kWrittenOut);
  ASSERT_EQ(brief.parameters.size(), full.parameters.size());
  for (std::size_t i = 0; i < brief.parameters.size(); ++i) {
    EXPECT_EQ(brief.parameters[i].bytes, handed_over(brief.parameters[i].line).size());
    EXPECT_EQ(full.parameters[i].bytes, handed_over(full.parameters[i].line).size());
    EXPECT_LT(brief.parameters[i].bytes, full.parameters[i].bytes + 1);
  }
  EXPECT_EQ(routes_in(brief.text()), routes_in(full.text()));
  for (const std::vector<Address>& addresses : hosts)
    EXPECT_EQ(nets_in_order(brief.text(), addresses), nets_in_order(full.text(), addresses));
}

TEST(Sites, ShortOptionsEqualTheWrittenOutForm) {
  for_sites(kSites, [](const Plan& plan) {
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const Address inside = address_of_client(client);
      std::vector<std::vector<Address>> routers;
      for (const Router& router : plan.site.clients[client].routers)
        routers.push_back({own_address(plan.site, client, router), router.addresses.front()});
      expect_both_forms_equal(plan, HostConfig::Kind::kClients, client, {{inside}});
      expect_both_forms_equal(plan, HostConfig::Kind::kRouter, client, routers);
    }
    for (std::size_t system = 0; system < plan.site.file_systems.size(); ++system) {
      std::vector<std::vector<Address>> servers;
      for (const Server& server : plan.site.file_systems[system].servers)
        servers.push_back({server.address});
      expect_both_forms_equal(plan, HostConfig::Kind::kServer, system, servers);
    }
  });
}

}  // namespace
}  // namespace ulnet::plan
