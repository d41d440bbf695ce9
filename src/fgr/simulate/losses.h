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

/// A router by its client system and its index there; an OSS by its file system and its index
/// there.
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

/// Finds the hosts and cables that are lost. A lost switch includes the cables of all hosts that
/// are plugged into it. The site must be that of a plan, whose switches have one name each.
/// -ENOENT: the site has nothing of that name; the reason has the nearest name.
Result<Lost> find_lost(const plan::Site& site, std::span<const Loss> losses);

}  // namespace ulnet::tools::fgr
