// The differences between a file's hosts and the plan. `ulnet-fgr diff` shows them as they are;
// check.h makes findings from them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"

namespace ulnet::plan {

/// A host that is not on a planned net, or is on an unplanned one.
struct NetDifference {
  std::size_t host = 0;  ///< index in Planned::hosts()
  NetId net;
  std::string address;            ///< address of the interface; empty: not known
  std::optional<std::size_t> at;  ///< index in Actual::nets: the entry that puts it there
  bool some = false;              ///< for clients: only some of them
};
/// A NID of a host with an address that the host should not have.
struct ForeignNid {
  std::size_t host = 0;
  Nid nid;
  std::size_t at = 0;  ///< index in Actual::nets
};
/// A route that is in the plan, in the file, or in both with other hops or another priority.
struct RouteDifference {
  NetId net;
  Nid gateway;
  int hops = 0;                   ///< planned hops; 0: the plan does not have the route
  std::optional<std::size_t> at;  ///< index in Actual::routes
};

struct Difference {
  std::vector<NetDifference> missing_nets, unplanned_nets;
  std::vector<ForeignNid> foreign_nids;
  std::vector<RouteDifference> missing_routes, unplanned_routes;
  /// Routes with other hops or another priority. Hops that are not given count as 1.
  std::vector<RouteDifference> other_routes;

  bool empty() const {
    return missing_nets.empty() && unplanned_nets.empty() && foreign_nids.empty() &&
           missing_routes.empty() && unplanned_routes.empty() && other_routes.empty();
  }
};

/// Returns the differences in the parts that the file covers. Nets are listed by host, in the order
/// of `actual.hosts`; routes once for all hosts of the file, in the order of net and gateway.
Difference compare(const Planned& planned, const Actual& actual);

}  // namespace ulnet::plan
