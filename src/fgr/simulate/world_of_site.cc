#include "fgr/simulate/world_of_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "fgr/simulate/trial.h"
#include "lnet/base/assert.h"

namespace ulnet::tools::fgr {
namespace {

using plan::Group;
using plan::GroupRouters;

/// Clients, and routers on their side, get addresses that no host has (RFC 1112, section 4), so
/// that they collide neither with hosts on a fabric nor with other client systems.
constexpr std::uint32_t kClientSide = 240U << 24;
constexpr Duration kToStart = std::chrono::milliseconds(1);
constexpr std::size_t kAtTheEnd = ~std::size_t{};  // RouteList::add()

core::Globals globals_with(std::int32_t transaction_timeout) {
  core::Globals globals;
  globals.discovery = 0;  // all nodes know each other, so discovery has nothing to find
  globals.alive_router_check_interval = 0;
  globals.peer_idle_timeout = 0;
  globals.transaction_timeout = transaction_timeout;
  return globals;
}

}  // namespace

WorldOfSite::WorldOfSite(const plan::Plan& plan, sim::World& world,
                         const std::vector<PlacedFile>& files, const RoutesOfHosts& routes,
                         std::int32_t transaction_timeout)
    : plan_(plan),
      world_(world),
      routes_(routes),
      globals_(globals_with(transaction_timeout)),
      rng_(world.rng("site")),
      next_address_(kClientSide),
      routers_(plan.site.clients.size()) {
  for (const plan::ClientSystem& clients : plan.site.clients) {
    first_router_.push_back(next_address_);
    next_address_ += static_cast<std::uint32_t>(clients.routers.size());
  }
  add_switches();
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i) add_routers(i);
  add_clients(files);
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

/// Adds nodes one after the other, so that not all ask their gateways at the same time, which would
/// take much memory for messages.
sim::SimNode& WorldOfSite::add(sim::NodeSetup setup) {
  sim::SimNode& node = world_.add_node(std::move(setup));
  (void)world_.run_for(kToStart);
  return node;
}

Nid WorldOfSite::router_nid(std::size_t client, std::size_t router) const {
  return Nid::small(plan_.site.clients[client].net,
                    first_router_[client] + static_cast<std::uint32_t>(router));
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

/// Adds one core switch per fabric. File systems that one router leads to are on the same fabric,
/// and so are those at one switch.
void WorldOfSite::add_cores() {
  const auto& systems = plan_.site.file_systems;
  std::vector<std::size_t> fabric(systems.size());  // the first file system on the same fabric
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

/// Adds the switches of hosts and their links to the core. If file systems share a switch, its link
/// has the highest rate that one of them sets.
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

/// Finds the switch of that name; the core, if `name` is empty.
std::optional<sim::SwitchId> WorldOfSite::switch_of(std::size_t file_system,
                                                    const std::string& name) const {
  if (name.empty()) return cores_[file_system];
  const auto isl = std::ranges::find(isls_, name, &Isl::at_switch);
  return isl == isls_.end() ? std::nullopt : std::optional(isl->leaf);
}

// ---- nodes --------------------------------------------------------------------------------------

/// Shuffles the routers for one host, so that not all hosts use the same router next.
std::vector<std::size_t> WorldOfSite::in_any_order(std::vector<std::size_t> routers) {
  for (std::size_t known = 1; known < routers.size(); ++known)
    std::swap(routers[known], routers[rng_.below(known + 1)]);
  return routers;
}

/// Takes routers for a host in the order of hop counts. For each hop count it takes at most `most`
/// routers that stay, and the routers that may be lost.
std::vector<WorldOfSite::Taken> WorldOfSite::taken(const GroupRouters& routers, std::size_t client,
                                                   std::size_t most) {
  std::vector<Taken> taken;
  bool some_lost = false;
  for (const int hops : plan::kHops) {
    if (!taken.empty() && !some_lost && !routes_.all) break;
    std::size_t left = most;
    for (const std::size_t router : in_any_order(routers.of(hops))) {
      if (left == 0) break;
      taken.push_back({router, hops});
      if (routes_.lost.router({client, router}))
        some_lost = true;
      else
        --left;
    }
  }
  return taken;
}

std::shared_ptr<const core::RouteList> WorldOfSite::routes_to_servers(const PlacedFile& file) {
  auto routes = std::make_shared<core::RouteList>();
  for (const Group& group : plan_.groups) {
    if (group.file_system != file.file_system) continue;
    const bool has_stripe = std::ranges::any_of(file.osss, [&](std::size_t oss) {
      return std::ranges::find(group.servers, oss) != group.servers.end();
    });
    if (!has_stripe) continue;
    for (const auto& [router, hops] :
         taken(group.routers[file.client], file.client, routes_.of_client))
      ULNET_ASSERT(
          routes->add({group.net, router_nid(file.client, router), hops}, kAtTheEnd).has_value());
  }
  return routes;
}

std::shared_ptr<const core::RouteList> WorldOfSite::routes_to_clients(const Group& group) {
  auto routes = std::make_shared<core::RouteList>();
  for (std::size_t client = 0; client < plan_.site.clients.size(); ++client) {
    const plan::ClientSystem& clients = plan_.site.clients[client];
    for (const auto& [router, hops] : taken(group.routers[client], client, SIZE_MAX))
      for (const plan::Address address : clients.routers[router].addresses)
        ULNET_ASSERT(routes->add({clients.net, Nid::small(group.net, address), hops}, kAtTheEnd)
                         .has_value());
  }
  return routes;
}

void WorldOfSite::add_clients(const std::vector<PlacedFile>& files) {
  for (const PlacedFile& file : files) {
    const Nid nid = Nid::small(plan_.site.clients[file.client].net, next_address_++);
    if (file.osss.empty()) continue;
    for (const std::size_t oss : file.osss)
      clients_of_[{file.file_system, oss}].push_back({nid, Pid::lustre()});
    clients_.push_back(&add({.name = fmt::format("client {}", clients_.size()),
                             .nis = {{.nid = nid}},
                             .globals = globals_,
                             .routes = routes_to_servers(file)}));
  }
}

void WorldOfSite::add_routers(std::size_t client) {
  const plan::ClientSystem& clients = plan_.site.clients[client];
  std::vector<std::vector<const Group*>> groups(clients.routers.size());
  for (const Group& group : plan_.groups)
    if (plan_.osss_of(group) != 0)  // groups of MGS and MDS alone are not simulated
      for (const int hops : plan::kHops)
        for (const std::size_t router : group.routers[client].of(hops))
          groups[router].push_back(&group);
  for (std::size_t i = 0; i < clients.routers.size(); ++i) {
    const plan::Router& router = clients.routers[i];
    std::vector<sim::NiSetup> nis = {{.nid = router_nid(client, i)}};
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
  if (const auto clients = clients_of_.find(oss.place); clients != clients_of_.end())
    oss.clients = std::move(clients->second);
  oss.node = &add({.name = fmt::format("oss {}.{}", group.file_system, number),
                   .nis = {{.nid = Nid::small(group.net, server.address), .at_switch = own}},
                   .globals = globals_,
                   .routes = routes_to_clients(group)});
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
