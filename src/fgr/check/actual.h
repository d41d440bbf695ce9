// What an existing file says of the hosts that it is for, as values. Whoever reads files makes
// them; compare.h looks at them. Source: docs/spec/cli-lnetctl.md 5, 6, 9, 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lnet/wire/nid_range.h"
#include "ulnet/nid.hpp"

namespace ulnet::plan {

/// Line and column in a file, from 1. Line 0: the file as a whole.
struct Spot {
  int line = 0;
  int column = 0;
  auto operator<=>(const Spot&) const = default;
};

/// A rule of ip2nets, a net of networks, or an NI of an export. With neither patterns nor NIDs the
/// net is on an interface of which the file does not say the address.
struct ActualNet {
  NetId net;
  std::vector<wire::AddressPattern> patterns;  ///< interfaces with these addresses are on the net
  std::vector<Nid> nids;                       ///< the NIDs that the host has
  Spot spot;
  /// Of the interfaces that match, the host's first one alone (docs/spec/cli-lnetctl.md 9.3).
  bool one_interface = false;
};
struct ActualRoute {
  NetId net;
  Nid gateway;
  std::int32_t hops = -1;  ///< -1: not given, which counts as 1
  std::uint32_t priority = 0;
  Spot spot;

  std::int32_t counted_hops() const { return hops == -1 ? 1 : hops; }
};
/// The text of a module parameter.
struct ActualParameter {
  std::string name;
  std::size_t bytes = 0;  ///< of its value, as modprobe hands it to the module
  Spot spot;
};

struct Actual {
  std::string file;
  std::vector<std::size_t> hosts;  ///< in Planned::hosts(); none: of no host that is known
  /// The file is, byte for byte, what the plan makes for these hosts: nothing else is filled in.
  bool as_planned = false;
  bool has_nets = false, has_routes = false;  ///< whether the file speaks of them, maybe of none
  /// YAML: of the rules for a net the first counts that matches. Module parameters: all do.
  bool first_rule_counts = false;
  /// One text for several hosts: of its routes each host passes over those that lead to a net of
  /// its own, and those whose gateway is on none.
  bool shared = false;
  std::optional<bool> routing;
  std::vector<ActualNet> nets;
  std::vector<ActualRoute> routes;
  std::vector<ActualParameter> parameters;
};

}  // namespace ulnet::plan
