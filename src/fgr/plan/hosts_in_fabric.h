// Finds the hosts and switches of a site in its fabric.
//
// An adapter belongs to the host that has its GUID in the site, else to the host whose name is a
// word of its description ("nid00750 HCA-1"), ignoring case and domain. A switch of the fabric is
// the member of Site::switches with its GUID or description. Else it is the switch of the site
// whose name is its GUID, its description or a word of its description ("MF0;left0:IS5035/U1"). The
// name is without the file system if several file systems have a switch of that name. Else it is
// the switch at which most of the hosts plugged into it are planned.
#pragma once

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/fabric/fabric.h"
#include "fgr/plan/plan.h"

namespace ulnet::plan {

/// Finding::where of findings about the fabric as a whole.
inline constexpr std::string_view kTheFabric = "the fabric";

/// Makes the plan of a site whose fabric is known: first finds the switches of the
/// hosts that have none, then calls see_fabric().
tl::expected<Plan, std::vector<Finding>> make_plan(Site site, const Fabric& fabric);

/// Finds the cables of the plan's hosts, and why some cables are not known: hosts that are missing,
/// adapters with the vendor's default name, a text that is cut, another site's fabric.
SeenFabric see_fabric(const Plan& plan, const Fabric& fabric);

/// Whether a description is a vendor's default, or comes from a host that does not know its name:
/// "MT25408 ConnectX Mellanox Technologies", "localhost mlx5_0", "mlx4_0", a GUID, an empty text.
bool is_default_name(std::string_view description);

}  // namespace ulnet::plan
