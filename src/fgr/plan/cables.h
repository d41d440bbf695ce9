// The cable table of a plan: which host is plugged into which switch of the servers' fabric.
// Source: design document 004, section III.A.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::plan {

struct Cable {
  std::string host;
  std::string place;    ///< place of a router, or rack of a server; may be empty
  std::string address;  ///< "10.10.100.103"
  std::string at_switch;
  /// "home 002, 004": the host's own group comes first; for the other groups the host is a
  /// secondary router. For a router of several file systems "home 002, 004; projects 002". "
  /// (spare)" follows groups for which it is spare.
  std::string groups;
  bool router = false;
  std::string label = {};         ///< Router::cable; may be empty
  std::string switch_place = {};  ///< Switch::rack; may be empty
  // From the fabric; empty and 0: not known. The switch's port is known only for a cable that is
  // plugged in as planned.
  std::string adapter_guid = {};
  std::uint32_t adapter_port = 0;
  std::string rate = {};  ///< FabricLink::rate
  std::string switch_guid = {};
  std::uint32_t switch_port = 0;
};
enum class CableOrder : std::uint8_t { kRouters, kSwitches, kServers };

/// Returns all cables. Ordered by routers: routers first, in the order of the site, then the
/// servers in the order of their groups. Ordered by servers: the reverse. Ordered by switches: by
/// their names, routers first.
std::vector<Cable> cables_of(const Plan& plan, CableOrder order);

/// Returns the cables in columns, with a head line. Optional columns, from the fabric or the site,
/// are shown only if a row has text there.
std::string cable_text(const std::vector<Cable>& cables);
/// Returns the cables as RFC 4180 defines CSV, with a head line and all columns.
std::string cable_csv(const std::vector<Cable>& cables);

}  // namespace ulnet::plan
