// What each host of a plan is configured with: its own nets and the routes that it uses. The module
// parameters (options.h) are one text for all hosts of a kind; this is what comes of them on each.
// Source: design document 004, section III.A; docs/spec/cli-lnetctl.md 5.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::plan {

struct HostNet {
  NetId net;
  /// Whatever ip2nets knows its interface by: the host's own addresses, "10.10.100.103". Of clients
  /// the patterns of their system, "10.128.*.*"; of a router too where its NID there is a number.
  std::vector<std::string> addresses;
};
struct HostRoute {
  NetId net;
  int hops = 1;
  Nid gateway;  ///< on a net of the host

  auto operator<=>(const HostRoute&) const = default;
};

struct HostConfig {
  enum class Kind : std::uint8_t { kClients, kRouter, kServer } kind = Kind::kClients;
  std::string host;               ///< of clients the name of their system
  std::size_t system = 0;         ///< in Site::clients, of a server in Site::file_systems
  std::size_t number = 0;         ///< in ClientSystem::routers or FileSystem::servers
  bool spare = false;             ///< a router of no group, at most the second choice of some
  std::vector<HostNet> nets;      ///< of a server: its group's, and then that among the servers
  std::vector<HostRoute> routes;  ///< primary ones first; to none of its own nets
};

/// All: for each client system its clients and then its routers, then the servers, in the order of
/// the site.
std::vector<HostConfig> host_configs(const Plan& plan);

/// For `lnetctl import`: the sections `ip2nets:` and `route:`, and of a router `routing:`. When all
/// addresses are of 127.0.0.0/8, for nodes on one machine, `net:` in the place of `ip2nets:`. Of a
/// spare router a comment says so.
std::string lnetctl_yaml(const HostConfig& config);

/// As routes files have them: "o2ib6002: { gateway: 68@gni1, hop: 1 }", one on each line.
std::string routes_text(const HostConfig& config);

}  // namespace ulnet::plan
