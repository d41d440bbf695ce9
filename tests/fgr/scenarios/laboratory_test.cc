// The laboratory of a plan: the topology and the module parameters give its nodes the nets and
// routes that the plan gives their hosts. For examples and random sites.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "fgr/lab/site_in_lab.h"
#include "fgr/plan/host_config.h"
#include "fgr/plan/lab_plan.h"
#include "fgr/plan/lab_topology.h"
#include "fgr/site/site_file.h"
#include "lab/topology/addresses.h"
#include "lab/topology/reader.h"
#include "lnet/base/sanitizers_fixture.h"
#include "lnet/config/modparams.h"
#include "lnet/config/routes.h"
#include "tests/fgr/scenarios/module_options.h"
#include "tests/fgr/scenarios/random_site.h"

namespace ulnet::plan {
namespace {

namespace lab = tools::lab;
using tools::fgr::SiteInLab;

constexpr std::uint64_t kSites = kAddressSanitizer ? 5 : 40;

/// The LNet configuration of a node: its nets and routes.
struct NodeNets {
  std::set<Nid> nids;
  std::set<HostRoute> routes;
  bool operator==(const NodeNets&) const = default;
};

std::string text_of(const NodeNets& nets) {
  std::string text;
  for (const Nid& nid : nets.nids) text += nid.to_string() + " ";
  for (const HostRoute& route : nets.routes)
    text += fmt::format("\n{} {} {}", route.net.to_string(), route.hops, route.gateway.to_string());
  return text;
}

/// The nets and routes in lnetctl/HOST.yaml. A client has one of the addresses of its system.
NodeNets planned(const HostConfig& config, Address client) {
  NodeNets nets;
  for (const HostNet& net : config.nets)
    for (const std::string& address : net.addresses)
      nets.nids.insert(Nid::small(net.net, config.kind == HostConfig::Kind::kClients
                                               ? client
                                               : *lab::parse_address(address)));
  nets.routes.insert(config.routes.begin(), config.routes.end());
  return nets;
}

NodeNets of_topology(const lab::Topology& topology, const lab::Node& node) {
  NodeNets nets;
  for (const lab::Rail& rail : node.rails) nets.nids.insert(topology.nid_of(rail));
  for (const lab::Route& route : node.routes)
    nets.routes.insert({topology.nets[route.net].id, route.hops,
                        topology.nid_of(topology.nodes[route.gateway].rails[route.gateway_rail])});
  return nets;
}

/// The nets and routes that a node with the interfaces of these rails reads from its module
/// parameters, which it shares with other nodes.
NodeNets of_module_parameters(const lab::Topology& topology, const lab::Node& node) {
  const std::string& text = topology.module_parameters.at(node.module_parameters);
  std::vector<conf::LocalInterface> interfaces;
  for (const lab::Rail& rail : node.rails)
    if (!rail.shares)
      interfaces.push_back({.name = lab::address_text(rail.address),
                            .addresses = {Nid::small({NetType::kTcp, 0}, rail.address)}});
  NodeNets nets;
  std::set<NetId> own;
  const auto resolved = conf::resolve_networks("", param_of(text, "ip2nets"), interfaces);
  EXPECT_TRUE(resolved) << resolved.error().reason;
  if (resolved)
    for (const conf::NetItem& net : *resolved) {
      own.insert(net.net);
      for (const conf::NiItem& ni : net.nis)
        nets.nids.insert(Nid::small(net.net, *lab::parse_address(ni.interface)));
    }
  const auto routes = conf::routes_of_param(param_of(text, "routes"));
  EXPECT_TRUE(routes) << routes.error().reason;
  if (routes)
    for (const conf::RouteItem& route : *routes)
      if (!own.contains(route.net) && own.contains(route.gateway.net()) &&
          !nets.nids.contains(route.gateway))
        nets.routes.insert({route.net, route.hops, route.gateway});
  return nets;
}

/// Calls `check` with the plans of the examples whose addresses nodes on wires can have, and of
/// random sites.
void for_plans(const std::function<void(const Plan&)>& check) {
  std::size_t examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(ULNET_SOURCE_DIR) / "examples/fgr")) {
    const auto plan = tools::fgr::plan_of_file(entry.path());
    ASSERT_TRUE(plan) << conf::lines_of(plan.error());
    SCOPED_TRACE(entry.path().string());
    check(*plan);
    ++examples;
  }
  EXPECT_GE(examples, 7U);
  for (std::uint64_t seed = 1; seed <= kSites && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto plan = make_plan(RandomSite(seed).make());
    ASSERT_TRUE(plan);
    check(*plan);
  }
}

lab::Topology topology_of(const std::string& text) {
  auto topology = lab::read_topology(text, "site");
  EXPECT_TRUE(topology) << conf::lines_of(topology.error()) << text;
  if (!topology) return {};
  EXPECT_TRUE(lab::give_addresses(*topology, lab::kNamespaceBase));
  return std::move(*topology);
}

SiteInLab placed(const Plan& plan, lab::Topology topology) {
  SiteInLab in{.lab = {lab::Home("", "site"), {}, std::move(topology)},
               .plan = {},
               .nodes = {},
               .clients = {}};
  const auto found = tools::fgr::place_site(plan, in);
  EXPECT_TRUE(found) << found.error().reason;
  return in;
}

/// Calls with each node and the plan of its host.
void for_nodes(const SiteInLab& in,
               const std::function<void(const lab::Node&, const NodeNets&)>& check) {
  const auto configs = host_configs(in.plan);
  std::size_t nodes = 0;
  const auto look_at = [&](const std::string& host, const HostConfig& config) {
    const lab::Node& node = in.lab.topology.nodes[in.nodes.at(host)];
    SCOPED_TRACE(node.name);
    check(node, planned(config, node.rails.front().address));
    ++nodes;
  };
  for (const HostConfig& config : configs)
    if (config.kind != HostConfig::Kind::kClients)
      look_at(config.host, config);
    else
      for (const NamedClient& client : in.clients)
        if (client.system == config.system) look_at(client.name, config);
  EXPECT_EQ(nodes, in.lab.topology.nodes.size());
}

TEST(Laboratories, NodesHaveTheNetsAndRoutesOfTheirHosts) {
  for_plans([](const Plan& plan) {
    const SiteInLab in = placed(plan, topology_of(lab_topology(plan, {})));
    for_nodes(in, [&](const lab::Node& node, const NodeNets& expected) {
      const NodeNets found = of_topology(in.lab.topology, node);
      EXPECT_TRUE(found == expected) << text_of(found) << "\nand not\n" << text_of(expected);
    });
  });
}

TEST(Laboratories, NodesReadTheSameFromTheModuleParametersOfTheirKind) {
  for_plans([](const Plan& plan) {
    const auto text = lab_topology_of_module_parameters(plan, {});
    ASSERT_TRUE(text || plan.site.clients[0].addresses.starts_with("127.")) << text.error().reason;
    if (!text) return;
    const SiteInLab in = placed(plan, topology_of(*text));
    for_nodes(in, [&](const lab::Node& node, const NodeNets& expected) {
      const NodeNets found = of_module_parameters(in.lab.topology, node);
      EXPECT_TRUE(found == expected) << text_of(found) << "\nand not\n" << text_of(expected);
    });
  });
}

TEST(Laboratories, LaboratoriesOfAnotherSiteAreRefused) {
  const auto one = make_plan(RandomSite(1).make()), other = make_plan(RandomSite(2).make());
  SiteInLab in{.lab = {lab::Home("", "site"), {}, topology_of(lab_topology(*other, {}))},
               .plan = {},
               .nodes = {},
               .clients = {}};
  const auto refused = tools::fgr::place_site(*one, in);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason.substr(0, 20), "laboratory site has ") << refused.error().reason;
}

}  // namespace
}  // namespace ulnet::plan
