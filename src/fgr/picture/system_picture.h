// A picture of the system of a plan, in the manner of figures 5 and 6 of design document 004: the
// client systems, the routers with their places, the switches, and the servers in their racks; with
// a table of the LNet groups.
#pragma once

#include <string>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// Returns a complete SVG document; the same plan gives the same text. Sheets of A4 or A3 landscape
/// stand one below the other; names that are too long get larger sheets. Groups differ by colour,
/// by hatch, and by number. Each host is drawn once, with its cables.
std::string system_picture(const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
