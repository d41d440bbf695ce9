// The places of the parts of a topology's picture: nets as lanes one below the other, nodes in rows
// between them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/topology/picture.h"
#include "lab/topology/topology.h"
#include "text/chart/svg.h"

namespace ulnet::tools::lab {

/// The part of a net's lane that is at one switch.
struct LanePiece {
  NetNumber net = 0;
  SwitchNumber at_switch = 0;
  std::uint32_t level = 0;  ///< lanes of one level are side by side
  std::string label;
  double left = 0, width = 0, top = 0;
};

/// A node, or several nodes of a group that are on the same nets at the same switches.
struct NodeBox {
  std::vector<NodeNumber> nodes;
  bool folded = false;  ///< drawn as many small boxes
  std::size_t group = 0;
  std::uint32_t row = 0;           ///< row 2 * L is above level L, and below level L - 1
  std::vector<std::string> lines;  ///< lines of text below the name
  std::size_t columns = 1;         ///< columns of small boxes
  double left = 0, top = 0, width = 0, height = 0;
};

/// A rail of a box; for a folded box, the rails of all its nodes with that index.
struct RailLine {
  std::size_t box = 0, piece = 0;
  std::uint32_t rail = 0;
  chart::Spot from, to;  ///< the ends at the box and at the lane
};

struct PictureLayout {
  static constexpr double kLane = 24;  ///< height of a lane
  static constexpr double kHead = 80;  ///< height above the first row
  static constexpr double kEdge = 24;
  static constexpr double kName = 24;  ///< height of a box's first line
  static constexpr double kText = 14;  ///< height of each other line
  /// size of a small box, with its gap
  static constexpr double kSmallWidth = 30, kSmallHeight = 18;

  double width = 0, bottom = 0;
  std::vector<std::string> groups;
  std::vector<LanePiece> pieces;
  std::vector<NodeBox> boxes;
  std::vector<RailLine> lines;
};

/// Returns a node's name; for a folded box "client: 16 nodes".
std::string title_of(const Topology& topology, const NodeBox& box);

PictureLayout lay_out(const Topology& topology, const Figures& figures);

}  // namespace ulnet::tools::lab
