// The switches of a scenario and the links between them, and how much the links have carried when
// the workload was done. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/network/fabric.h"

namespace ulnet::sim {

struct SwitchesSpec {
  struct Joint {
    SwitchId a, b;
    SwitchLinkModel model;
  };
  std::vector<std::string> names;  ///< the position is the SwitchId
  std::vector<Joint> links;        ///< the position is the SwitchLinkId
};

/// Makes the switches and links in a fabric that has none.
void build(const SwitchesSpec& spec, Fabric& fabric);

/// One direction of a link between two switches.
struct LinkUse {
  std::string from, to;
  std::uint64_t bytes_per_second = 0;
  PortCounters counters;
  Duration over{};  ///< the time in which the counters counted
  std::uint64_t busy_percent() const {
    return over == Duration{} ? 0 : static_cast<std::uint64_t>(counters.busy * 100 / over);
  }
  bool operator==(const LinkUse&) const = default;
};
/// Two entries for each link, in the order of the links.
std::vector<LinkUse> uses_of(const Fabric& fabric, Instant now, Duration age);

}  // namespace ulnet::sim
