// Random sites for tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/plan/kinds.h"
#include "fgr/plan/planned.h"
#include "fgr/plan/site.h"
#include "lnet/base/rng.h"

namespace ulnet::plan {

/// A site of one to three client systems and one or two file systems, for which there is a plan.
/// Drawn at random are: the kind of each client system; a net of numbers or of addresses, and
/// whether the clients' pattern matches the routers; one or two addresses of a router; groups by
/// sides, by switches or none; racks and OSSs; the size of groups; 'routers per group', for all or
/// for one client system, and more or fewer than the peak needs; shares; secondary routes; a net
/// among servers; spare routers; and whether two file systems share their switches and routers,
/// with or without weights, or have switches of the same names.
class RandomSite {
 public:
  explicit RandomSite(std::uint64_t seed) : rng_(seed) {}

  Site make() {
    const std::uint64_t systems = 1 + rng_.below(2), clients = 1 + rng_.below(3);
    for (std::uint64_t i = 0; i < systems; ++i) site_.file_systems.push_back(file_system(i));
    for (std::uint64_t i = 0; i < clients; ++i) site_.clients.push_back(client_system(i));
    for (FileSystem& system : site_.file_systems) draw_demands(system);
    shared_ =
        systems == 2 && one_in(3) && std::ranges::none_of(site_.file_systems, &FileSystem::flat);
    if (shared_) declare_switches();
    for (ClientSystem& each : site_.clients) add_routers(each);
    return site_;
  }

 private:
  bool one_in(std::uint64_t n) { return rng_.below(n) == 0; }
  Address next_address() { return (10U << 24 | 10U << 16) + ++addresses_; }

  FileSystem file_system(std::uint64_t i) {
    FileSystem system{.name = fmt::format("fs{}", i),
                      .cluster = fmt::format("fs{}-", i),
                      .base = {NetType::kO2ib, static_cast<std::uint16_t>(6000 + 1000 * i)},
                      .oss_gb_per_s = one_in(2) ? 3.0 : 1.5,
                      .osss_per_group = static_cast<std::uint32_t>(1 + rng_.below(4)),
                      .secondary_routes = !one_in(4)};
    if (one_in(4)) system.layout = FileSystem::Layout::kSwitches;
    if (one_in(8)) system.layout = FileSystem::Layout::kFlat;
    if (one_in(2) && !system.flat())
      system.among_servers = NetId{NetType::kO2ib, static_cast<std::uint16_t>(500 + i)};
    const bool wide = system.layout == FileSystem::Layout::kSwitches && one_in(2);
    const auto at = [&](std::uint64_t rack, std::uint64_t number) {
      return wide ? fmt::format("r{}", rack)
                  : fmt::format("r{}-{}", rack, number % 2 == 0 ? "left" : "right");
    };
    const std::string& name = system.name;
    system.servers.push_back(
        {Server::Role::kMgs, name + "-mgs", next_address(), 0, "r0", at(0, 0)});
    system.servers.push_back(
        {Server::Role::kMds, name + "-mds", next_address(), 0, "r0", at(0, 1)});
    std::uint32_t number = 0;
    const std::uint64_t racks = 1 + rng_.below(1 + rng_.below(4));
    for (std::uint64_t rack = 0; rack < racks; ++rack)
      for (std::uint64_t left = 2 * (1 + rng_.below(1 + rng_.below(6))); left > 0; --left, ++number)
        system.servers.push_back({Server::Role::kOss, fmt::format("{}-oss{}", name, number),
                                  next_address(), number, fmt::format("r{}", rack),
                                  at(rack, number)});
    return system;
  }

  ClientSystem client_system(std::uint64_t i) {
    const Kind kind = router_kinds()[rng_.below(router_kinds().size())];
    const auto number = static_cast<std::uint16_t>(1 + i);
    constexpr NetType kTypes[] = {NetType::kGni, NetType::kGni, NetType::kTcp, NetType::kO2ib};
    return {.name = fmt::format("clients{}", i),
            .net = {kTypes[rng_.below(std::size(kTypes))], number},
            .addresses = one_in(3) ? fmt::format("10.{0}.[0-99].* 10.{0}.[100-255].*", 128 + i)
                                   : fmt::format("10.{}.*.*", 128 + i),
            .router_gb_per_s = kind.gb_per_s};
  }

  void draw_demands(FileSystem& system) {
    const auto wanted = [this] { return static_cast<std::uint32_t>(1 + rng_.below(3)); };
    // A site file sets it either for all client systems or for some.
    const bool for_all = one_in(6);
    if (for_all) system.routers_per_group = wanted();
    for (const ClientSystem& clients : site_.clients) {
      if (one_in(4)) system.shares[clients.name] = one_in(2) ? 0.5 : 0.3;
      if (!for_all && one_in(6)) system.routers_per_group_of[clients.name] = wanted();
    }
  }

  void declare_switches() {
    std::set<std::string> names;
    for (const FileSystem& system : site_.file_systems)
      for (const Server& server : system.servers) names.insert(server.at_switch);
    for (const std::string& name : names) site_.switches.push_back({name});
  }

  static std::size_t osss_at(const FileSystem& system, const std::string& at_switch) {
    return static_cast<std::size_t>(std::ranges::count_if(
        system.servers,
        [&](const Server& server) { return !server.metadata() && server.at_switch == at_switch; }));
  }

  /// Routers at one switch that differ only in host and addresses: one of them without these, and
  /// their number.
  struct Place {
    Router router;
    std::size_t count = 1;
  };

  void add_routers(ClientSystem& clients) {
    std::vector<std::size_t> systems;
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i)
      if (i == 0 || &clients == &site_.clients.front() || !one_in(4)) systems.push_back(i);
    std::vector<Place> places;
    for (const std::size_t i : systems) {
      const auto use = one_in(4) ? Router::Use::kBoth : Router::Use::kMetadata;
      for (const std::size_t server : {0, 1})
        places.push_back({{.at_switch = site_.file_systems[i].servers[server].at_switch,
                           .file_systems = {i},
                           .use = use}});
      if (!shared_) add_for_osss(clients, {i}, places);
    }
    if (shared_) add_for_osss(clients, systems, places);
    while (!places.empty()) {  // in a random order
      const std::size_t at = rng_.below(places.size());
      if (places[at].count-- == 0)
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(at));
      else
        add_router(clients, places[at].router);
    }
  }

  /// Adds as many routers at each switch as the groups there need, and up to two spare ones.
  void add_for_osss(const ClientSystem& clients, const std::vector<std::size_t>& systems,
                    std::vector<Place>& places) {
    std::set<std::string> switches;
    for (const std::size_t i : systems)
      for (const Server& server : site_.file_systems[i].servers) switches.insert(server.at_switch);
    for (const std::string& name : switches) {
      Router router{.at_switch = name, .file_systems = {}};
      for (const std::size_t i : systems)
        if (osss_at(site_.file_systems[i], name) > 0) router.file_systems.push_back(i);
      if (router.file_systems.empty()) continue;
      if (router.file_systems.size() == 2 && one_in(2)) router.weights = {2, 1};
      std::size_t needed = 0;
      for (const std::size_t i : router.file_systems)
        needed = std::max(needed, needed_at(clients, router, i));
      places.push_back({router, needed + rng_.below(3)});
    }
  }

  std::size_t needed_at(const ClientSystem& clients, const Router& router, std::size_t number) {
    const FileSystem& system = site_.file_systems[number];
    const std::size_t osss = osss_at(system, router.at_switch), each = system.osss_per_group;
    const double rate = clients.router_gb_per_s * part_of(clients, router, number);
    const auto needed = [&](std::size_t count) -> std::size_t {
      const std::uint32_t wanted = system.routers_per_group_for(clients);
      if (count == 0 || wanted != 0) return count == 0 ? 0 : wanted;
      return routers_for(static_cast<std::uint32_t>(count), rate,
                         system.oss_gb_per_s * system.share_of(clients));
    };
    return osss / each * needed(each) + needed(osss % each);
  }

  /// The share of the router's rate that a file system gets.
  double part_of(const ClientSystem& clients, const Router& router, std::size_t number) const {
    double own = 0, all = 0;
    for (std::size_t i = 0; i < router.file_systems.size(); ++i) {
      const FileSystem& system = site_.file_systems[router.file_systems[i]];
      const double weight = router.weights.empty()
                                ? static_cast<double>(osss_at(system, router.at_switch)) *
                                      system.oss_gb_per_s * system.share_of(clients)
                                : router.weights[i];
      if (router.file_systems[i] == number) own = weight;
      all += weight;
    }
    return own / all;
  }

  void add_router(ClientSystem& clients, Router router) {
    const auto system = static_cast<std::uint32_t>(&clients - site_.clients.data());
    ++nids_;
    // Every other client system has routers that its clients' pattern matches.
    const std::uint32_t before = 10U << 24 | (system % 2 == 0 ? 192 + system : 128 + system) << 16;
    router.host = fmt::format("{}-router{}", clients.name, nids_);
    router.client_nid = Nid::small(clients.net, is_numbered(clients.net) ? nids_ : before + nids_);
    router.addresses = {next_address()};
    if (one_in(16)) router.addresses.push_back(next_address());
    clients.routers.push_back(std::move(router));
  }

  Rng rng_;
  Site site_;
  bool shared_ = false;
  std::uint32_t addresses_ = 0, nids_ = 0;
};

/// The address by which ip2nets finds a client of the system with this number, or its router, on
/// their net.
inline Address address_of_client(std::size_t system) {
  return 10U << 24 | static_cast<Address>(128 + system) << 16 | 7;
}
inline Address own_address(const Site& site, std::size_t system, const Router& router) {
  return is_numbered(site.clients[system].net) ? address_of_client(system)
                                               : router.client_nid.address4();
}

}  // namespace ulnet::plan
