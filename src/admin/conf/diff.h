// Computes the changes that lead from one configuration to another, for the import at SIGHUP.
// Source: DESIGN.md 5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "admin/conf/daemon_settings.h"
#include "admin/conf/yaml_in.h"
#include "lnet/config/model.h"
#include "lnet/config/problem.h"

namespace ulnet::conf {

/// A whole configuration. Every NI names an interface or a NID, not both.
struct Config {
  std::vector<NetItem> nets;  ///< each net once
  std::map<std::string, std::int64_t> globals;
  std::map<std::string, std::string> params;
  std::vector<core::udsp::Rule> udsp;  ///< in the order in which a list takes them
  std::vector<PeerItem> peers;         ///< each primary NID occurs once
  std::vector<RouteItem> routes;       ///< each net through each gateway once; at most kRoutesMax
  std::optional<bool> routing;     ///< whether this node is a router; not given: it is not a router
  std::optional<Buffers> buffers;  ///< not given: the defaults
  /// difference() ignores these, because they do not belong to the node
  DaemonSettings daemon;
  bool operator==(const Config&) const = default;
};

/// The names of parts of a configuration, by which errors name them and Places has them.
std::string name_of(const NiRef& ref);          ///< "tcp(eth0)", or the NID that the NI gives
std::string name_of(const core::Route& route);  ///< "route to tcp1 through 10.0.0.1@tcp"
std::string name_of(const PeerItem& peer);      ///< "peer 10.0.0.1@tcp"
inline std::string name_of_param(const std::string& name) { return "parameter " + name; }
inline std::string name_of_global(const std::string& name) { return "global " + name; }
inline constexpr const char* kPolicies = "selection policies";
inline constexpr const char* kBuffers = "router buffers";
inline constexpr const char* kRouting = "routing";
/// Where the text gives each part.
using Places = std::map<std::string, Place>;

/// Returns the configuration that a document describes on a machine with these interfaces. Items of
/// one net are joined, and ip2nets is resolved. Otherwise returns all problems, in the order of the
/// text. Ignores sections that configure nothing (statistics, ping), entries that request only the
/// state of a node without routing, and peers of an export that were not configured. `places`, if
/// not null, gets the places of all parts.
tl::expected<Config, Problems> to_config(const Document& document,
                                         std::span<const LocalInterface> interfaces,
                                         Places* places = nullptr);

/// Apply the parts in this order: params, udsp, del_routes, del, add, set, buffers, routing, peers,
/// add_routes, globals.
struct Difference {
  // New values; a parameter that is no longer named returns to its default.
  std::map<std::string, std::string> params;
  /// The selection policies that replace the present ones; nothing: the present policies stay.
  std::optional<std::vector<core::udsp::Rule>> udsp;
  /// The routes to delete. They include routes whose hops or priority change; those are also in
  /// `add_routes`.
  std::vector<RouteItem> del_routes;
  std::vector<NiRef> del;
  // An NI is in `del` and in `add` if its tunables changed in a way that needs a restart.
  std::vector<NiRef> add;
  /// NIs of which only tunables differ, and only tunables that can change while the NI runs
  std::vector<NiRef> set;
  std::optional<Buffers> buffers;  ///< other numbers than before
  std::optional<bool> routing;     ///< on or off, other than before
  std::vector<RouteItem> add_routes;
  std::vector<PeerItem> del_peers;
  /// New peers, and peers with other NIDs or of another kind. The old peer is in `del_peers`,
  /// unless it only gets more NIDs.
  std::vector<PeerItem> add_peers;
  std::map<std::string, std::int64_t> globals;  ///< new values, as in params
  bool empty() const {
    return params.empty() && !udsp && del.empty() && add.empty() && set.empty() &&
           del_routes.empty() && add_routes.empty() && !routing && !buffers && del_peers.empty() &&
           add_peers.empty() && globals.empty();
  }
};
Difference difference(const Config& from, const Config& to);

}  // namespace ulnet::conf
