// The content of the picture of a system for each switch: its routers on the left, its servers on
// the right, in blocks of one LNet group each. The parts have no places yet, but have the heights
// that their texts need.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/picture/ports.h"
#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

struct BlockLine {
  std::string name, about;
  std::size_t cables = 0;
};

/// Routers of one client system for the same groups, or servers of a group.
struct Block {
  static constexpr double kRow = 17, kPad = 4, kGap = 6;

  bool router = false;
  bool bundle = false;  ///< in the overview: a single line, whose cables are one thick line
  std::size_t client = 0;
  std::vector<std::size_t> groups;
  std::string caption;  ///< text that all lines share; may be empty
  std::vector<BlockLine> lines;
  double top = 0;

  double height() const;
  double line_y(std::size_t line) const;  ///< the middle of a line; `top` must be known
};

struct Band {
  std::size_t switch_number = 0;   ///< in the order of switches_of()
  std::vector<std::string> name;   ///< of the switch, in lines
  std::vector<std::string> about;  ///< below its name
  std::string heading;             ///< its file systems
  std::string rack;   ///< empty: the site names no rack, or its servers are in several racks
  std::string sides;  ///< above the servers: "left side"; may be empty
  std::vector<Block> routers, servers;
  double gap = 0;  ///< gap below the band

  std::size_t sheet = 0, column = 0;
  double top = 0;  ///< on its sheet
  /// whether its heading, the rack's name and the beginning of its frame stand above it
  bool has_heading = false;
  bool has_rack = false;

  double height() const;  ///< height of the switch
  /// Sets the top. Blocks follow one below the other.
  void set_top(double at);
};

/// Makes bands with a line for each host. No band is higher than `most` pixels: a higher one is cut
/// into several, which are marked as parts.
std::vector<Band> detail_bands(const plan::Plan& plan, const std::vector<SwitchPorts>& switches,
                               double most);

/// Makes bands with a block for the routers of each client system, and one for the servers with the
/// tags of their groups. `sheets` has the sheets of the hosts of each switch: "sheet 3". Bands are
/// cut as those of detail_bands().
std::vector<Band> overview_bands(const plan::Plan& plan, const std::vector<SwitchPorts>& switches,
                                 const std::vector<std::string>& sheets, double most);

}  // namespace ulnet::tools::fgr
