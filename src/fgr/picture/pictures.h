// Pictures of a plan: its system, and its cable table. Each function returns a complete SVG
// document; the same plan gives the same text.
#pragma once

#include <string>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// The system in the manner of figures 5 and 6 of design document 004: the client systems, the
/// routers with their places, the switches, and the servers in their racks; with a table of the
/// LNet groups. Sheets of A4 or A3 landscape stand one below the other; names that are too long get
/// larger sheets. Groups differ by colour, by hatch, and by number. Each host is drawn once, with
/// its cables.
std::string system_picture(const plan::Plan& plan);

/// The cable table as sheets of paper: a panel for each switch. Sheets of A4 portrait, or of A3 if
/// rows are too wide for A4, stand one below the other, each as long as on paper at 96 pixels an
/// inch. A panel has the routers of a switch and below them its servers, with a row for each cable.
/// The row has the ports that the fabric shows: the switch's, and the adapter's if a host has
/// several.
std::string cable_picture(const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
