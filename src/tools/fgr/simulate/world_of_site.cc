#include "tools/fgr/simulate/world_of_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/assert.h"
#include "tools/fgr/simulate/trial.h"

namespace ulnet::tools::fgr {
namespace {

using plan::Group;
using plan::GroupRouters;

/// Clients, and routers on their side, get addresses that no host has (RFC 1112, section 4), so
/// that none is that of a host on a fabric or of another system of clients.
constexpr std::uint32_t kClientSide = 240U << 24;
/// Many clients' together.
constexpr std::int32_t kCreditsOfMany = 4096;
constexpr Duration kToStart = std::chrono::milliseconds(1);

core::Globals globals_with(std::int32_t transaction_timeout) {
  core::Globals globals;
  globals.discovery = 0;  // all know each other: nothing is to be found out
  globals.alive_router_check_interval = 0;
  globals.peer_idle_timeout = 0;
  globals.transaction_timeout = transaction_timeout;
  return globals;
}

}  // namespace

WorldOfSite::WorldOfSite(const plan::Plan& plan, sim::World& world, std::uint32_t client_nodes,
                         std::int32_t transaction_timeout)
    : plan_(plan),
      world_(world),
      client_nodes_(client_nodes),
      globals_(globals_with(transaction_timeout)),
      rng_(world.rng("site")) {
  std::uint32_t next = kClientSide;
  for (const plan::ClientSystem& clients : plan.site.clients) {
    first_address_.push_back(next);
    next += client_nodes + static_cast<std::uint32_t>(clients.routers.size());
  }
  add_switches();
  routers_.resize(plan.site.clients.size());
  clients_.resize(plan.site.clients.size());
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i) {
    add_routers(i);
    add_clients(i);
  }
  add_osss();
}

void WorldOfSite::set_scale(double scale) {
  const auto rate = [&](double gb_per_s) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(gb_per_s * 1e9 * scale));
  };
  for (const Sender& sender : senders_) world_.wire().set_rate(sender.place, rate(sender.gb_per_s));
  for (const Joint& joint : joints_)
    world_.wire().fabric().set_rate(joint.link, rate(joint.gb_per_s));
}

sim::SwitchLinkId WorldOfSite::join(sim::SwitchId a, sim::SwitchId b, double gb_per_s) {
  const sim::SwitchLinkId link =
      world_.wire().fabric().join(a, b, {.bytes_per_second = 1, .latency = {}});
  joints_.push_back({link, gb_per_s});
  return link;
}

/// One after the other: so not all ask their gateways at one time, whose messages would take much
/// memory.
sim::SimNode& WorldOfSite::add(sim::NodeSetup setup) {
  sim::SimNode& node = world_.add_node(std::move(setup));
  (void)world_.run_for(kToStart);
  return node;
}

Nid WorldOfSite::client_side(std::size_t client, std::uint32_t number) const {
  return Nid::small(plan_.site.clients[client].net, first_address_[client] + number);
}

/// MGS and MDS alone are not of interest.
bool WorldOfSite::served(const Group& group) const {
  return std::ranges::any_of(group.servers, [&](std::size_t each) {
    return !plan_.site.file_systems[group.file_system].servers[each].metadata();
  });
}

// ---- switches -----------------------------------------------------------------------------------

void WorldOfSite::add_switches() {
  add_cores();
  add_leaves();
  for (std::size_t i = 0; i < plan_.site.file_systems.size(); ++i) {
    const plan::FileSystem& system = plan_.site.file_systems[i];
    for (std::size_t k = 0; k < system.servers.size(); ++k) {
      const plan::Server& server = system.servers[k];
      if (server.metadata()) continue;
      const sim::SwitchId own =
          world_.wire().fabric().add_switch(system.name + "/oss/" + server.host);
      join(own, *switch_of(i, server.at_switch), system.oss_gb_per_s);
      oss_switches_.emplace(HostPlace{i, k}, own);
    }
  }
  set_scale(1);
}

/// Of one fabric are the file systems to which one router leads, and those at one switch.
void WorldOfSite::add_cores() {
  const auto& systems = plan_.site.file_systems;
  std::vector<std::size_t> fabric(systems.size());  // the first file system of the same one
  std::iota(fabric.begin(), fabric.end(), 0);
  std::map<std::string, std::size_t> at_switch;
  const auto join_fabrics = [&](std::size_t a, std::size_t b) {
    const auto [to, from] = std::minmax({fabric[a], fabric[b]});
    std::ranges::replace(fabric, from, to);
  };
  const auto plug = [&](const std::string& name, std::size_t system) {
    if (!name.empty()) join_fabrics(at_switch.emplace(name, system).first->second, system);
  };
  for (std::size_t i = 0; i < systems.size(); ++i)
    for (const plan::Server& server : systems[i].servers) plug(server.at_switch, i);
  for (const plan::ClientSystem& clients : plan_.site.clients)
    for (const plan::Router& router : clients.routers)
      for (const std::size_t system : router.file_systems) {
        plug(router.at_switch, system);
        join_fabrics(router.file_systems.front(), system);
      }
  for (std::size_t i = 0; i < systems.size(); ++i)
    cores_.push_back(fabric[i] == i ? world_.wire().fabric().add_switch(systems[i].name + "/core")
                                    : cores_[fabric[i]]);
}

/// Of a switch that file systems share the link carries the most that one of them says.
void WorldOfSite::add_leaves() {
  std::vector<double> rates;
  for (const plan::FileSystem& system : plan_.site.file_systems)
    rates.push_back(isl_gb_per_s(system));
  const auto plug = [&](const std::string& name, std::size_t system) {
    if (name.empty()) return;
    auto isl = std::ranges::find(isls_, name, &Isl::at_switch);
    if (isl == isls_.end())
      isl =
          isls_.insert(isl, Isl{.at_switch = name, .leaf = {}, .core = cores_[system], .link = {}});
    isl->gb_per_s = std::max(isl->gb_per_s, rates[system]);
  };
  for (std::size_t i = 0; i < plan_.site.file_systems.size(); ++i)
    for (const plan::Server& server : plan_.site.file_systems[i].servers)
      if (!server.metadata()) plug(server.at_switch, i);
  for (const plan::ClientSystem& clients : plan_.site.clients)
    for (const plan::Router& router : clients.routers)
      for (const std::size_t system : router.file_systems) plug(router.at_switch, system);
  for (Isl& isl : isls_) {
    isl.leaf = world_.wire().fabric().add_switch(isl.at_switch);
    isl.link = join(isl.leaf, isl.core, isl.gb_per_s);
  }
}

/// Where no switch is named, the core.
std::optional<sim::SwitchId> WorldOfSite::switch_of(std::size_t file_system,
                                                    const std::string& name) const {
  if (name.empty()) return cores_[file_system];
  const auto isl = std::ranges::find(isls_, name, &Isl::at_switch);
  return isl == isls_.end() ? std::nullopt : std::optional(isl->leaf);
}

// ---- nodes --------------------------------------------------------------------------------------

/// In an order of its own at each host, so that not all take the same router next.
void WorldOfSite::add_route(core::RouteList& routes, const core::Route& route, std::size_t known) {
  ULNET_ASSERT(routes.add(route, rng_.below(known + 1)).has_value());
}

std::shared_ptr<const core::RouteList> WorldOfSite::routes_to_servers(std::size_t client) {
  auto routes = std::make_shared<core::RouteList>();
  for (const Group& group : plan_.groups) {
    if (!served(group)) continue;
    std::size_t known = 0;
    for (const int hops : plan::kHops)
      for (const std::size_t router : group.routers[client].of(hops))
        add_route(*routes,
                  {group.net,
                   client_side(client, client_nodes_ + static_cast<std::uint32_t>(router)), hops},
                  known++);
  }
  return routes;
}

std::shared_ptr<const core::RouteList> WorldOfSite::routes_to_clients(const Group& group) {
  auto routes = std::make_shared<core::RouteList>();
  for (std::size_t client = 0; client < plan_.site.clients.size(); ++client) {
    std::size_t known = 0;
    const plan::ClientSystem& clients = plan_.site.clients[client];
    for (const int hops : plan::kHops)
      for (const std::size_t router : group.routers[client].of(hops))
        for (const plan::Address address : clients.routers[router].addresses)
          add_route(*routes, {clients.net, Nid::small(group.net, address), hops}, known++);
  }
  return routes;
}

void WorldOfSite::add_clients(std::size_t client) {
  for (std::uint32_t i = 0; i < client_nodes_; ++i) {
    sim::NiSetup ni{.nid = client_side(client, i)};
    ni.tunables.peer_credits = ni.tunables.credits = kCreditsOfMany;
    clients_[client].push_back(&add({.name = fmt::format("clients {}.{}", client, i),
                                     .nis = {ni},
                                     .globals = globals_,
                                     .routes = routes_to_servers(client)}));
  }
}

void WorldOfSite::add_routers(std::size_t client) {
  const plan::ClientSystem& clients = plan_.site.clients[client];
  std::vector<std::vector<const Group*>> groups(clients.routers.size());
  for (const Group& group : plan_.groups)
    if (served(group))
      for (const int hops : plan::kHops)
        for (const std::size_t router : group.routers[client].of(hops))
          groups[router].push_back(&group);
  for (std::size_t i = 0; i < clients.routers.size(); ++i) {
    const plan::Router& router = clients.routers[i];
    sim::NiSetup inner{.nid = client_side(client, client_nodes_ + static_cast<std::uint32_t>(i))};
    inner.tunables.peer_credits = inner.tunables.credits = kCreditsOfMany;
    std::vector<sim::NiSetup> nis = {inner};
    for (const Group* group : groups[i])
      for (const plan::Address address : router.addresses)
        nis.push_back({.nid = Nid::small(group->net, address),
                       .at_switch = switch_of(group->file_system, router.at_switch)});
    sim::NodeSetup setup{
        .name = fmt::format("router {}.{}", client, i), .nis = std::move(nis), .globals = globals_};
    setup.routing = {.on = true, .at_once = true};
    sim::SimNode& node = add(std::move(setup));
    routers_[client].push_back(&node);
    senders_.push_back({node.place(0), clients.router_gb_per_s});
    const auto addresses = static_cast<double>(router.addresses.size());
    for (std::size_t ni = 1; ni < node.setup().nis.size(); ++ni)
      senders_.push_back({node.place(ni), clients.router_gb_per_s / addresses});
  }
}

void WorldOfSite::add_osss() {
  for (const Group& group : plan_.groups)
    for (const std::size_t each : group.servers)
      if (const auto own = oss_switches_.find({group.file_system, each});
          own != oss_switches_.end())
        add_oss(group, each, own->second);
  std::ranges::sort(osss_, {}, &Oss::place);
}

void WorldOfSite::add_oss(const Group& group, std::size_t number, sim::SwitchId own) {
  const plan::Server& server = plan_.site.file_systems[group.file_system].servers[number];
  Oss oss{.place = {group.file_system, number}, .node = nullptr, .clients = {}};
  oss.node = &add({.name = fmt::format("oss {}.{}", group.file_system, number),
                   .nis = {{.nid = Nid::small(group.net, server.address), .at_switch = own}},
                   .globals = globals_,
                   .routes = routes_to_clients(group)});
  for (std::size_t client = 0; client < plan_.site.clients.size(); ++client)
    if (const GroupRouters& routers = group.routers[client];
        !routers.primary.empty() || !routers.secondary.empty())
      oss.clients.insert(oss.clients.end(), clients_[client].begin(), clients_[client].end());
  osss_.push_back(std::move(oss));
}

// ---- losses -------------------------------------------------------------------------------------

void WorldOfSite::lose(const Lost& lost) {
  const auto cut = [](sim::SimNode& node, std::size_t first) {
    std::vector<Nid> nids;
    for (std::size_t i = first; i < node.setup().nis.size(); ++i) nids.push_back(node.nid(i));
    for (const Nid& nid : nids) node.remove_ni(nid);
  };
  for (const auto& [client, router] : lost.cut_routers) cut(*routers_[client][router], 1);
  for (const auto& [client, router] : lost.dead_routers) routers_[client][router]->crash();
  for (const Oss& oss : osss_) {
    if (lost.cut_osss.contains(oss.place)) cut(*oss.node, 0);
    if (lost.dead_osss.contains(oss.place)) oss.node->crash();
  }
}

}  // namespace ulnet::tools::fgr
