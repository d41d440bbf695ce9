// What must happen to get from one configuration to another: SIGHUP's re-import. Source:
// DESIGN.md 5.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conf/daemon_settings.h"
#include "conf/model.h"
#include "conf/problem.h"
#include "conf/yaml_in.h"

namespace ulnet::conf {

/// A configuration as a whole. Every NI names an interface or a NID, not both.
struct Config {
  std::vector<NetItem> nets;  ///< each net once
  std::map<std::string, std::int64_t> globals;
  std::map<std::string, std::string> params;
  DaemonSettings daemon;  ///< not the node's: difference() passes over it
  bool operator==(const Config&) const = default;
};

/// The configuration that a document describes on a machine with these interfaces: items of one net
/// joined, ip2nets resolved. Or every problem there is, in the document's order. Sections that
/// configure nothing (statistics, ping) are passed over, as is what asks for nothing that a node
/// without routing has not; peers, routes and udsp are -ENOSYS.
tl::expected<Config, std::vector<Problem>> to_config(const Document& document,
                                                     std::span<const LocalInterface> interfaces);

/// One NI of a net.
struct NiRef {
  NetId net;
  NiItem ni;
  bool operator==(const NiRef&) const = default;
};

/// In the order in which to apply it: params, del, add, set, globals.
struct Difference {
  std::map<std::string, std::string>
      params;  ///< new values; a parameter no longer named returns to its default
  std::vector<NiRef> del;
  std::vector<NiRef>
      add;  ///< an NI whose tunables changed in a way that needs a restart is in both
  std::vector<NiRef> set;  ///< only conns_per_peer differs: it can be set while the NI runs
  std::map<std::string, std::int64_t> globals;  ///< as params
  bool empty() const {
    return params.empty() && del.empty() && add.empty() && set.empty() && globals.empty();
  }
};
Difference difference(const Config& from, const Config& to);

}  // namespace ulnet::conf
