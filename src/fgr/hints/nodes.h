// The nodes that a job may use. Source: docs/FGR.md.
#pragma once

#include <string>
#include <vector>

#include "fgr/hints/node_map.h"
#include "fgr/plan/plan.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

/// Parses names as a batch system writes them: "nid[00010-00012,00020],nid00040", with commas or
/// blanks between them; '#' begins a comment that ends with its line. -EINVAL with the reason,
/// -E2BIG for more than `limit`.
Result<std::vector<std::string>> node_names(std::string_view text, std::size_t limit);

/// Returns the places of these names in the map; a name that is given twice counts once. -ENOENT
/// with a name that is not in the map.
Result<std::vector<std::size_t>> nodes_in(const plan::NodeMap& map,
                                          const std::vector<std::string>& names);

/// Returns all nodes of the map except the routers of the site.
std::vector<std::size_t> nodes_but_routers(const plan::NodeMap& map, const plan::Site& site);

}  // namespace ulnet::tools::fgr
