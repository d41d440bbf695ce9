// Finds the hosts and switches of a site in its fabric.
//
// An adapter is of the host that has its GUID in the site, else of the host whose name is a word of
// its description ("nid00750 HCA-1"), whatever the case and the domain. A switch of the fabric is
// that of Site::switches with its GUID or description; else the one whose name is its GUID, its
// description or a word of that ("MF0;left0:IS5035/U1"), without the file system where several have
// one of that name; else the one at which most of the hosts plugged into it are planned.
#pragma once

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fgr/fabric/fabric.h"
#include "fgr/plan/plan.h"

namespace ulnet::plan {

/// Problem::where of what is about the fabric as a whole.
inline constexpr std::string_view kTheFabric = "the fabric";

/// The plan of a site whose fabric is known: find_switches(), then see_fabric().
tl::expected<Plan, std::vector<Problem>> make_plan(Site site, const Fabric& fabric);

/// Gives routers and servers without a switch the one into which they are plugged. A switch that
/// the site does not know is called by its description, or by its GUID when the description is the
/// vendor's or another switch has it too, and becomes one of Site::switches. The problems: hosts
/// whose switch is not found, or one of several.
std::vector<Problem> find_switches(Site& site, const Fabric& fabric);

/// The cables of the plan's hosts, and why some are not known: hosts that are missing, adapters
/// under the vendor's default name, a text that is cut, another site's fabric.
SeenFabric see_fabric(const Plan& plan, const Fabric& fabric);

/// Descriptions with which vendors deliver, and those of hosts that do not know their name:
/// "MT25408 ConnectX Mellanox Technologies", "localhost mlx5_0", "mlx4_0", a GUID, nothing.
bool is_default_name(std::string_view description);

}  // namespace ulnet::plan
