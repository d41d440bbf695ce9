// One name for each switch and each rack of a site.
#pragma once

#include <vector>

#include "fgr/plan/plan.h"
#include "fgr/plan/site.h"

namespace ulnet::plan {

/// Gives every switch the name that it has in the whole site. A member of Site::switches keeps its
/// name. Any other switch belongs to the file system whose servers are plugged into it. Its name is
/// "left0", or "home/left0" if several file systems have a switch of that name. Racks get names in
/// the same way. A name that already has its file system before it is accepted; so a second call
/// changes nothing.
///
/// The problems are switches that only one server or router names: each is reported once.
std::vector<Finding> settle_switches(Site& site);

}  // namespace ulnet::plan
