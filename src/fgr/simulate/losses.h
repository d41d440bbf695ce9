// The parts of a site that are lost in a simulation, by the names of the site file. Source:
// docs/FGR.md.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fgr/plan/site.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct Loss {
  enum class What { kRouter, kCable, kSwitch, kOss } what = What::kRouter;
  std::string name;
};

/// Parses "router:NAME", "cable:HOST", "switch:NAME", "oss:NAME". -EINVAL: the text has another
/// form.
Result<Loss> parse_loss(std::string_view text);

/// A router: the number of its client system, and its index among that system's routers. An OSS:
/// the number of its file system, and its index among that file system's servers.
using HostPlace = std::pair<std::size_t, std::size_t>;

/// Hosts that are dead, and hosts whose cables to the servers' fabric carry nothing.
struct Lost {
  std::set<HostPlace> dead_routers, dead_osss;
  std::set<HostPlace> cut_routers, cut_osss;

  bool router(const HostPlace& place) const {
    return dead_routers.contains(place) || cut_routers.contains(place);
  }
  bool oss(const HostPlace& place) const {
    return dead_osss.contains(place) || cut_osss.contains(place);
  }
};

/// Returns the hosts and cables that these losses take. If a switch is lost, the cables of all
/// routers and OSSs at this switch are cut. `site` must come from a plan, because there each switch
/// has only one name. -ENOENT: a loss names something that the site does not have; the reason
/// suggests the nearest name.
Result<Lost> find_lost(const plan::Site& site, std::span<const Loss> losses);

}  // namespace ulnet::tools::fgr
