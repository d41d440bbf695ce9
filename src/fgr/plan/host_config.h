// The configuration of each host of a plan: its own nets and the routes that it uses. The module
// parameters (options.h) are one text for all hosts of a kind; this is their result on each host.
// Source: design document 004, section III.A; docs/spec/cli-lnetctl.md 5.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::plan {

struct HostNet {
  NetId net;
  /// The words by which ip2nets finds the interface: the host's own addresses, "10.10.100.103". For
  /// clients, and for a router whose NID there is a number, the patterns of the system,
  /// "10.128.*.*".
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
  std::string host;               ///< for clients the name of their system
  std::size_t system = 0;         ///< index in Site::clients, for a server in Site::file_systems
  std::size_t number = 0;         ///< index in ClientSystem::routers or FileSystem::servers
  bool spare = false;             ///< a router that is primary router of no group
  std::vector<HostNet> nets;      ///< for a server: its group's, and then the net among the servers
  std::vector<HostRoute> routes;  ///< primary ones first; none to its own nets
};

/// Returns "client", "router" or "server".
std::string_view to_string(HostConfig::Kind kind);

/// Returns all hosts: for each client system its clients and then its routers, then the servers, in
/// the order of the site.
std::vector<HostConfig> host_configs(const Plan& plan);

/// Returns the text for `lnetctl import`: the sections `ip2nets:` and `route:`, and for a router
/// `routing:`. If all addresses are in 127.0.0.0/8, for nodes on one machine, the text has `net:`
/// in place of `ip2nets:`. A comment marks a spare router.
std::string lnetctl_yaml(const HostConfig& config);

/// Returns the lines of a routes file: "o2ib6002: { gateway: 68@gni1, hop: 1 }".
std::string routes_text(const HostConfig& config);

}  // namespace ulnet::plan
