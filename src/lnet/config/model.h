// The configuration that an administrator requests, as values that YAML, module parameters, the
// control API and the node share. Source: spec/cli-lnetctl.md 3, 5, 9, 11.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lnet/core/contract/route_list.h"
#include "ulnet/nid.hpp"

namespace ulnet::conf {

/// Tunables of a net; a tunable that is not given keeps its default (spec/cli-lnetctl.md 11.2).
struct CommonTunables {
  std::optional<std::int32_t> peer_timeout, peer_credits, peer_buffer_credits, credits;
  bool operator==(const CommonTunables&) const = default;
};
/// Values for tunables of an NI's driver, by name. lnet/catalog/known_drivers.h lists them.
using LndTunables = std::map<std::string, std::int32_t, std::less<>>;

/// A requested NI: named by its device (or address), or by its NID.
struct NiItem {
  std::string interface;  ///< "eth0", "eth0:0", "127.0.0.11"; empty when `nid` is given instead
  std::optional<Nid> nid;
  CommonTunables tunables;
  LndTunables lnd_tunables;
  std::vector<std::uint32_t> cpts;  ///< empty: all
  bool operator==(const NiItem&) const = default;
};

/// Whether nets of a type have a driver here.
using HasDriver = bool (*)(NetType);

/// The most NIDs of a peer in one command or item (spec/cli-lnetctl.md 3.8).
inline constexpr std::size_t kPeerNidsMax = 128;

/// A configured peer.
struct PeerItem {
  Nid primary;
  std::vector<Nid> nids;  ///< besides the primary one
  bool multi_rail = true;
  bool lock_primary = false;
  bool operator==(const PeerItem&) const = default;
};

/// A route that a configuration requests.
struct RouteItem : core::Route {
  /// The route comes from a text routes=, which nodes of a site may share. A route to a net of this
  /// node, through this node, or through a gateway on no net of this node is skipped
  /// (spec/cli-lnetctl.md 9.2).
  bool shared = false;
  bool operator==(const RouteItem&) const = default;
};
/// A router's numbers of buffers over all CPU partitions; 0: the default.
struct Buffers {
  std::uint32_t tiny = 0, small = 0, large = 0;
  bool operator==(const Buffers&) const = default;
};

struct NetItem {
  NetId net;
  std::vector<NiItem> nis;
  bool operator==(const NetItem&) const = default;
};

/// One NI of a net.
struct NiRef {
  NetId net;
  NiItem ni;
  bool operator==(const NiRef&) const = default;
};
/// All NIs, in the order of the nets.
inline std::vector<NiRef> nis_of(const std::vector<NetItem>& nets) {
  std::vector<NiRef> all;
  for (const NetItem& net : nets)
    for (const NiItem& ni : net.nis) all.push_back({net.net, ni});
  return all;
}

}  // namespace ulnet::conf
