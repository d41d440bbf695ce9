// Declarations that the files of the checks share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fgr/check/check.h"
#include "fgr/check/compare.h"

namespace ulnet::plan {

/// Adds a finding about a place in a file.
Finding& add_finding(std::vector<Finding>& out, const Actual& file, Rule rule, conf::Place place,
                     std::string what);

/// Returns the rule by which the host does not belong to the group: the side differs, the switch
/// differs, or neither differs.
Rule rule_for_group(const Planned& planned, std::size_t host, const Group& group);

/// Whether any file has this route through `router`: for clients to `group` if `by_clients`, else
/// back from the servers of `group`.
using HasWayBack = std::function<bool(bool by_clients, std::size_t router, NetId group)>;

/// Add findings about the nets and routes of one file to `out`.
void check_nets(const Planned& planned, const Actual& file, Difference& difference,
                std::vector<Finding>& out);
void check_routes(const Planned& planned, const Actual& file, Difference& difference,
                  const HasWayBack& has_way_back, std::vector<Finding>& out);

}  // namespace ulnet::plan
