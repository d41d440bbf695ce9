// In what a file's hosts are other than planned. `ulnet-fgr diff` shows it as it is; check.h makes
// findings of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"

namespace ulnet::plan {

/// A host that is not on a net, or is on one that it should not be on.
struct NetDifference {
  std::size_t host = 0;  ///< in Planned::hosts()
  NetId net;
  std::string address;            ///< of its interface; empty: not known
  std::optional<std::size_t> at;  ///< in Actual::nets: what puts it there
  bool some = false;              ///< of clients: only some of them
};
/// A NID that a host has, with an address that it should not have.
struct ForeignNid {
  std::size_t host = 0;
  Nid nid;
  std::size_t at = 0;  ///< in Actual::nets
};
/// A route that is planned, or that the file has, or both, with other hops or another priority.
struct RouteDifference {
  NetId net;
  Nid gateway;
  int hops = 0;                   ///< planned; 0: it is not
  std::optional<std::size_t> at;  ///< in Actual::routes
};

struct Difference {
  std::vector<NetDifference> missing_nets, unplanned_nets;
  std::vector<ForeignNid> foreign_nids;
  std::vector<RouteDifference> missing_routes, unplanned_routes;
  /// Other hops or priority. Hops that are not given count as 1.
  std::vector<RouteDifference> other_routes;

  bool empty() const {
    return missing_nets.empty() && unplanned_nets.empty() && foreign_nids.empty() &&
           missing_routes.empty() && unplanned_routes.empty() && other_routes.empty();
  }
};

/// Of what the file speaks. Nets by host, in the order of `actual.hosts`; routes once for all its
/// hosts, in the order of net and gateway.
Difference compare(const Planned& planned, const Actual& actual);

}  // namespace ulnet::plan
