// The cable table of a plan as sheets of paper: a panel for each switch.
#pragma once

#include <string>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// SVG, the whole document; the same plan gives the same text. Sheets of A4 upright, or of A3 where
/// rows are too wide for it, stand one below the other, each as long as it is on paper at 96 pixels
/// an inch. A panel has the routers of a switch and below them its servers, a row for each cable,
/// with the ports that the fabric knows: the switch's, and that of the adapter where a host has
/// several.
std::string cable_picture(const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
