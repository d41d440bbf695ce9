// Draws a topology as SVG: nets as lanes, nodes as boxes, rails as lines, and routers between the
// nets that they join.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// The traffic of a rail, and its state.
struct RailFigures {
  std::uint64_t sent = 0, received = 0;  ///< bytes
  bool up = true;
};
/// What the picture shows besides the topology.
struct Figures {
  std::string note;  ///< a line below the title; may be empty
  /// The figures by node and rail. If the map is not empty, the rail with the most bytes has the
  /// widest line.
  std::map<std::pair<NodeNumber, std::uint32_t>, RailFigures> rails;
  /// by node, a word such as "killed"; the node is crossed out
  std::map<NodeNumber, std::string> marks;
};

/// Returns the complete SVG document; the same arguments give the same text. NIDs are shown if the
/// topology has addresses.
std::string draw_topology(const Topology& topology, const Figures& figures = {});

}  // namespace ulnet::tools::lab
