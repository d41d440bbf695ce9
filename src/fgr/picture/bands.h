// What the picture of a system says about each switch: its routers on the left, its servers on the
// right, in blocks of one LNet group each. No places yet, but the heights that texts need.
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

/// Routers of one system of clients for the same groups, or servers of a group.
struct Block {
  static constexpr double kRow = 17, kPad = 4, kGap = 6;

  bool router = false;
  bool bundle = false;  ///< of the overview: a single line, and its cables are one thick line
  std::size_t client = 0;
  std::vector<std::size_t> groups;
  std::string caption;  ///< what all lines have in common; may be empty
  std::vector<BlockLine> lines;
  double top = 0;

  double height() const;
  double line_y(std::size_t line) const;  ///< the middle of a line; `top` is known
};

struct Band {
  std::size_t switch_number = 0;   ///< as switches_of() counts
  std::vector<std::string> name;   ///< of the switch, in lines
  std::vector<std::string> about;  ///< below its name
  std::string heading;             ///< its file systems
  std::string rack;   ///< empty: the site names none, or its servers are in several racks
  std::string sides;  ///< above the servers: "left side"; may be empty
  std::vector<Block> routers, servers;
  double gap = 0;  ///< below it

  std::size_t sheet = 0, column = 0;
  double top = 0;            ///< on its sheet
  bool has_heading = false;  ///< above it; so are the rack's name and the beginning of its frame
  bool has_rack = false;

  double height() const;  ///< of the switch
  /// From its top down, blocks stand below each other.
  void set_top(double at);
};

/// With a line for each host. No band is higher than `most` pixels: what is higher is cut into
/// several, which say so.
std::vector<Band> detail_bands(const plan::Plan& plan, const std::vector<SwitchPorts>& switches,
                               double most);

/// With a block for the routers of each system of clients, and one for the servers with the tags of
/// their groups. `sheets` says on which sheet the hosts of each switch are: "sheet 3". Bands are
/// cut as those of detail_bands().
std::vector<Band> overview_bands(const plan::Plan& plan, const std::vector<SwitchPorts>& switches,
                                 const std::vector<std::string>& sheets, double most);

}  // namespace ulnet::tools::fgr
