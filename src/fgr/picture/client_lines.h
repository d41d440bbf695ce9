// The systems of clients in a picture, and the lines from them to their routers: an upright line of
// each system in the gutter on the left of a column, and from it a line to each router, so that no
// line passes behind a box.
#pragma once

#include "fgr/picture/system_layout.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {

/// The lines of all columns, on each sheet that they are on; where `columns` stand beside the boxes
/// of clients these too, and otherwise the names above the lines.
void draw_client_lines(chart::Svg& svg, const SystemLayout& layout, const Columns& columns);

}  // namespace ulnet::tools::fgr
