// The client systems in a picture, and the lines from them to their routers. Each system has an
// upright line in the gutter on the left of a column, and from it a line to each router, so that no
// line passes behind a box.
#pragma once

#include "fgr/picture/system_layout.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {

/// Draws the lines of all columns on each of their sheets. If `columns` stand beside the boxes of
/// clients, draws the boxes too, and else the names above the lines.
void draw_client_lines(chart::Svg& svg, const SystemLayout& layout, const Columns& columns);

}  // namespace ulnet::tools::fgr
