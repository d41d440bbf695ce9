// The content of an existing file for its hosts, as values. Readers of files make these values, and
// compare.h examines them. Source: docs/spec/cli-lnetctl.md 5, 6, 9, 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lnet/config/problem.h"
#include "lnet/wire/nid_range.h"
#include "ulnet/nid.hpp"

namespace ulnet::plan {

/// A rule of ip2nets, a net of networks, or an NI of an export. Without patterns and NIDs the net
/// is on an interface whose address the file does not contain.
struct ActualNet {
  NetId net;
  std::vector<wire::AddressPattern> patterns;  ///< interfaces with these addresses are on the net
  std::vector<Nid> nids;                       ///< NIDs of the host
  conf::Place place;
  /// If several interfaces of a host match, only the first one is on the net
  /// (docs/spec/cli-lnetctl.md 9.3).
  bool one_interface = false;
};
struct ActualRoute {
  NetId net;
  Nid gateway;
  std::int32_t hops = -1;  ///< -1: not given, which counts as 1
  std::uint32_t priority = 0;
  conf::Place place;

  std::int32_t counted_hops() const { return hops == -1 ? 1 : hops; }
};
/// The text of a module parameter.
struct ActualParameter {
  std::string name;
  std::size_t bytes = 0;  ///< size of the value, as modprobe passes it to the module
  conf::Place place;
};

struct Actual {
  std::string file;
  /// indices in Planned::hosts(); empty: the file is for no known host
  std::vector<std::size_t> hosts;
  /// True if the file is, byte for byte, the plan's text for these hosts. Then the other members
  /// are not filled in.
  bool as_planned = false;
  /// whether the file covers nets and routes, even if the list of them is empty
  bool has_nets = false, has_routes = false;
  /// YAML: the first rule for a net that matches counts. Module parameters: all rules that match
  /// count.
  bool first_rule_counts = false;
  /// True if the file is one text for several hosts. Each host ignores routes to its own nets, and
  /// routes whose gateway is on none of its nets.
  bool shared = false;
  std::optional<bool> routing;
  std::vector<ActualNet> nets;
  std::vector<ActualRoute> routes;
  std::vector<ActualParameter> parameters;
};

}  // namespace ulnet::plan
