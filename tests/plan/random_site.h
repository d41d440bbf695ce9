// Random sites for tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "plan/kinds.h"
#include "plan/site.h"

namespace ulnet::plan {

/// One to three client systems, one or two file systems, one to four racks with two switches each.
/// Half of the file systems have a net among their servers. Their switches have the same names. At
/// a switch there are as many routers as its groups need, and up to two spare ones.
class RandomSite {
 public:
  explicit RandomSite(std::uint64_t seed) : rng_(seed), extra_(~seed) {}

  Site make() {
    const std::uint64_t systems = 1 + rng_.below(2), clients = 1 + rng_.below(3);
    for (std::uint64_t i = 0; i < systems; ++i) site_.file_systems.push_back(file_system(i));
    for (std::uint64_t i = 0; i < clients; ++i) site_.clients.push_back(client_system(i));
    for (ClientSystem& each : site_.clients) add_routers(each);
    return site_;
  }

 private:
  Address next_address() { return (10U << 24 | 10U << 16) + ++addresses_; }

  FileSystem file_system(std::uint64_t i) {
    FileSystem system{.name = fmt::format("fs{}", i),
                      .cluster = fmt::format("fs{}-", i),
                      .base = {NetType::kO2ib, static_cast<std::uint16_t>(6000 + 1000 * i)},
                      .oss_gb_per_s = 3.0,
                      .osss_per_group = static_cast<std::uint32_t>(1 + rng_.below(4)),
                      .secondary_routes = rng_.below(4) != 0};
    if (extra_.below(2) != 0)
      system.among_servers = NetId{NetType::kO2ib, static_cast<std::uint16_t>(500 + i)};
    const std::uint64_t racks = 1 + rng_.below(4);
    const std::string name = system.name;
    const auto at = [&](std::uint64_t rack, std::uint64_t number) {
      return fmt::format("r{}-{}", rack, number % 2 == 0 ? "left" : "right");
    };
    system.servers.push_back(
        {Server::Role::kMgs, name + "-mgs", next_address(), 0, "r0", at(0, 0)});
    system.servers.push_back(
        {Server::Role::kMds, name + "-mds", next_address(), 0, "r0", at(0, 1)});
    std::uint32_t number = 0;
    for (std::uint64_t rack = 0; rack < racks; ++rack)
      for (std::uint64_t left = 2 * (1 + rng_.below(6)); left > 0; --left, ++number)
        system.servers.push_back({Server::Role::kOss, fmt::format("{}-oss{}", name, number),
                                  next_address(), number, fmt::format("r{}", rack),
                                  at(rack, number)});
    return system;
  }

  ClientSystem client_system(std::uint64_t i) {
    const Kind kind = router_kinds()[rng_.below(router_kinds().size())];
    return {.name = fmt::format("clients{}", i),
            .net = {NetType::kGni, static_cast<std::uint16_t>(1 + i)},
            .addresses = fmt::format("10.{}.*.*", 128 + i),
            .router_gb_per_s = kind.gb_per_s};
  }

  void add_routers(ClientSystem& clients) {
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i) {
      const FileSystem& system = site_.file_systems[i];
      std::map<std::string, std::size_t> osss;
      for (const Server& server : system.servers)
        if (!server.metadata()) ++osss[server.at_switch];
      std::vector<std::pair<std::string, bool>> places = {{system.servers[0].at_switch, true},
                                                          {system.servers[1].at_switch, true}};
      const auto needed = [&](std::size_t count) {
        return routers_for(static_cast<std::uint32_t>(count), clients.router_gb_per_s,
                           system.oss_gb_per_s);
      };
      for (const auto& [name, count] : osss)
        for (std::size_t k = count / system.osss_per_group * needed(system.osss_per_group) +
                             needed(count % system.osss_per_group) + extra_.below(3);
             k > 0; --k)
          places.emplace_back(name, false);
      while (!places.empty()) {  // in any order
        const auto at = static_cast<std::ptrdiff_t>(rng_.below(places.size()));
        clients.routers.push_back({.host = fmt::format("{}-router{}", clients.name, ++nids_),
                                   .physical = {},
                                   .client_nid = Nid::small(clients.net, nids_),
                                   .addresses = {next_address()},
                                   .at_switch = places[static_cast<std::size_t>(at)].first,
                                   .file_systems = {i},
                                   .use = places[static_cast<std::size_t>(at)].second
                                              ? Router::Use::kMetadata
                                              : Router::Use::kData});
        places.erase(places.begin() + at);
      }
    }
  }

  Rng rng_, extra_;
  Site site_;
  std::uint32_t addresses_ = 0, nids_ = 0;
};

}  // namespace ulnet::plan
