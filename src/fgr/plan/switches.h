// One name for each switch and each rack of a site.
#pragma once

#include <vector>

#include "fgr/plan/plan.h"
#include "fgr/plan/site.h"

namespace ulnet::plan {

/// Gives every switch the name by which the whole site knows it. One of Site::switches keeps its
/// name. Any other is of the file system whose servers are plugged into it, and is called "left0",
/// or "home/left0" where several file systems have one of that name. Racks are called likewise. A
/// name that has its file system before it already is understood; so a second call changes nothing.
///
/// The problems are switches that a server or a router names alone: each is told once.
std::vector<Problem> settle_switches(Site& site);

}  // namespace ulnet::plan
