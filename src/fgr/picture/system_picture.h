// A picture of the system that a plan is for, in the manner of figures 5 and 6 of design document
// 004: the systems of clients, the routers with their places, the switches, and the servers in
// their racks; and what each LNet group is.
#pragma once

#include <string>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// SVG, the whole document; the same plan gives the same text. Sheets of A4 or A3 landscape stand
/// one below the other, larger ones where names are too long for these. Groups are told apart by
/// their colour, by their hatch, and by their number. Each host is drawn once, with its cables.
std::string system_picture(const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
