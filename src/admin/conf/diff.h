// What has to change to get from one configuration to another, for the import at SIGHUP. Source:
// DESIGN.md 5.
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

/// A configuration as a whole. Every NI names an interface or a NID, not both.
struct Config {
  std::vector<NetItem> nets;  ///< each net once
  std::map<std::string, std::int64_t> globals;
  std::map<std::string, std::string> params;
  std::vector<core::udsp::Rule> udsp;  ///< in order, as a list takes them
  std::vector<PeerItem> peers;         ///< each primary NID once
  std::vector<RouteItem> routes;       ///< each net through each gateway once; at most kRoutesMax
  std::optional<bool> routing;         ///< whether this node is a router; not given: it is none
  std::optional<Buffers> buffers;      ///< not given: the defaults
  DaemonSettings daemon;               ///< not of the node: difference() ignores it
  bool operator==(const Config&) const = default;
};

/// The configuration that a document describes on a machine with these interfaces: items of one
/// net are joined, ip2nets is resolved. Else all problems, in the order of the text. Sections
/// that configure nothing (statistics, ping) are ignored, as are entries that ask only for what a
/// node without routing is anyway, and peers of an export that were not configured.
tl::expected<Config, std::vector<Problem>> to_config(const Document& document,
                                                     std::span<const LocalInterface> interfaces);

/// In the order in which to apply it: params, udsp, del_routes, del, add, set, buffers, routing,
/// peers, add_routes, globals.
struct Difference {
  // New values; a parameter that is no longer named returns to its default.
  std::map<std::string, std::string> params;
  /// The selection policies that shall be instead of those there are; nothing: they stay.
  std::optional<std::vector<core::udsp::Rule>> udsp;
  /// Also those whose hops or priority change, which are in `add_routes` then.
  std::vector<RouteItem> del_routes;
  std::vector<NiRef> del;
  // An NI is in `del` and in `add` if its tunables changed in a way that needs a restart.
  std::vector<NiRef> add;
  std::vector<NiRef> set;          ///< only tunables differ that can be changed while the NI runs
  std::optional<Buffers> buffers;  ///< other numbers than before
  std::optional<bool> routing;     ///< on or off, other than before
  std::vector<RouteItem> add_routes;
  std::vector<PeerItem> del_peers;
  /// New ones, and those that have other NIDs or another kind: of these the old one is in
  /// `del_peers`, unless there only are more NIDs.
  std::vector<PeerItem> add_peers;
  std::map<std::string, std::int64_t> globals;  ///< as params
  bool empty() const {
    return params.empty() && !udsp && del.empty() && add.empty() && set.empty() &&
           del_routes.empty() && add_routes.empty() && !routing && !buffers && del_peers.empty() &&
           add_peers.empty() && globals.empty();
  }
};
Difference difference(const Config& from, const Config& to);

}  // namespace ulnet::conf
