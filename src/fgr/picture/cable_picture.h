// The cable table of a plan as sheets of paper: a panel for each switch.
#pragma once

#include <string>

#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// Returns a complete SVG document; the same plan gives the same text. Sheets of A4 portrait, or of
/// A3 if rows are too wide for A4, stand one below the other, each as long as on paper at 96 pixels
/// an inch. A panel has the routers of a switch and below them its servers, with a row for each
/// cable. The row has the ports that the fabric shows: the switch's, and the adapter's if a host
/// has several.
std::string cable_picture(const plan::Plan& plan);

}  // namespace ulnet::tools::fgr
