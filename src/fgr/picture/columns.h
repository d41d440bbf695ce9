// Bands in columns on sheets: the widths of a column's parts, and the place of each band.
#pragma once

#include <cstddef>
#include <vector>

#include "fgr/picture/bands.h"
#include "fgr/picture/group_marks.h"
#include "fgr/picture/paper.h"

namespace ulnet::tools::fgr {

/// The parts of a column from left to right: upright lines of the clients, routers, cables,
/// switches, cables, servers.
struct Columns {
  static constexpr double kTrunkGap = 12;  ///< between the upright lines of two client systems
  static constexpr double kStub = 16;      ///< from the last of these lines to the routers
  static constexpr double kMinCable = 30, kMaxCable = 110;
  static constexpr double kGap = 24;  ///< gap between columns
  static constexpr double kHeading = 26, kRack = 22, kSides = 18;
  static constexpr double kFramePad = 8;  ///< distance of a rack's frame from its servers

  std::vector<Band> bands;
  double trunks = 0, routers = 0, cable = kMinCable, switches = 0, servers = 0;
  double router_about = 0, server_about = 0;  ///< where the second text of a line begins
  double left = 0, top = 0;                   ///< place of the first column, on each sheet
  std::size_t first_sheet = 0, sheets = 0;
  std::size_t count = 1;  ///< columns per sheet
  double bottom = 0;      ///< end of the lowest band of the last sheet

  /// Finds the widths of the parts from the texts of all bands.
  void measure(std::size_t client_systems, const GroupMarks& marks);
  /// Makes cables longer, so that the columns of a sheet take up to `most` pixels.
  void stretch(double most);
  double width() const;                        ///< of a column
  double width_of(std::size_t columns) const;  ///< with the gaps between columns
  std::size_t columns_in(double most) const;   ///< at least 1

  /// Gives bands their places in columns of `usable_height` pixels, which begin at `top`. Bands of
  /// a file system stay in one column if they fit into one column. Else the bands of each rack do.
  void place(std::size_t columns, double usable_height);

  double trunk_x(std::size_t column, std::size_t client) const;
  double routers_left(std::size_t column) const;
  double switch_left(std::size_t column) const;
  double servers_left(std::size_t column) const;
  double frame_top(const Band& band) const;  ///< top of the rack's frame; the band has has_rack
};

}  // namespace ulnet::tools::fgr
