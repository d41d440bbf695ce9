// The cable table of a plan: who is plugged into which switch of the servers' fabric. Source:
// design document 004, section III.A.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgr/plan/plan.h"

namespace ulnet::plan {

struct Cable {
  std::string host;
  std::string place;    ///< where a router is, or the rack of a server; may be empty
  std::string address;  ///< "10.10.100.103"
  std::string at_switch;
  /// "home 002, 004": the first is its own, the others are those whose second choice it is; of a
  /// router of several file systems "home 002, 004; projects 002". Behind those for
  /// which it is spare, " (spare)".
  std::string groups;
  bool router = false;
  std::string label = {};         ///< Router::cable; may be empty
  std::string switch_place = {};  ///< Switch::rack; may be empty
  // What the fabric says; empty and 0: not known. Ports at the switch are those of a cable that is
  // plugged in as planned.
  std::string adapter_guid = {};
  std::uint32_t adapter_port = 0;
  std::string rate = {};  ///< FabricLink::rate
  std::string switch_guid = {};
  std::uint32_t switch_port = 0;
};
enum class CableOrder : std::uint8_t { kRouters, kSwitches, kServers };

/// All cables. By routers: those first, in the order of the site, then the servers in that of their
/// groups; by servers the other way round; by switches: in the order of their names, routers first.
std::vector<Cable> cables_of(const Plan& plan, CableOrder order);

/// Columns with a head line; of what is known only with a fabric, or where the site says it, those
/// in which anything is.
std::string cable_text(const std::vector<Cable>& cables);
/// RFC 4180, with a head line; all columns.
std::string cable_csv(const std::vector<Cable>& cables);

}  // namespace ulnet::plan
