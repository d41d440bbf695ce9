// Draws a topology as SVG: nets as lanes, nodes as boxes, rails as lines, routers between the
// nets that they join.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// What a rail has done, or how it is.
struct RailFigures {
  std::uint64_t sent = 0, received = 0;  ///< bytes
  bool up = true;
};
/// What is shown in the picture beside the topology.
struct Figures {
  std::string note;  ///< a line below the title; may be empty
  /// By node and index of the rail. Where there are any, the widest line is that of the rail with
  /// the most bytes.
  std::map<std::pair<NodeNumber, std::uint32_t>, RailFigures> rails;
  std::map<NodeNumber, std::string> marks;  ///< a word at a node, as in "killed": it is crossed out
};

/// The whole document; the same arguments give the same text. NIDs are shown where addresses are
/// given.
std::string draw_topology(const Topology& topology, const Figures& figures = {});

}  // namespace ulnet::tools::lab
