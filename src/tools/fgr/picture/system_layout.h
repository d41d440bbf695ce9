// Where the parts of a system's picture are. A switch with the routers on its left and the servers
// on its right is a band; bands stand one below the other, in as many columns as give a page. On
// the left of each column are the systems of clients.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/fgr/picture/group_marks.h"
#include "tools/fgr/picture/ports.h"

namespace ulnet::tools::fgr {

struct BlockLine {
  std::string name, about;
  std::size_t cables = 0;  ///< drawn at this line
};

/// Routers of one system of clients for the same groups, or servers of a group.
struct Block {
  bool router = false, folded = false;
  std::size_t client = 0;
  std::vector<std::size_t> groups;
  std::string caption;  ///< of which system; empty where the site has one
  std::vector<BlockLine> lines;
  std::size_t cables = 0;
  double top = 0, height = 0;
};

struct Band {
  std::vector<std::string> name;  ///< of the switch, in lines
  std::string sides;              ///< above the servers: "left side"
  std::vector<Block> routers, servers;
  double top = 0, height = 0;  ///< of the switch and the blocks, without what is above them
};

/// Bands that stay together: those of one rack.
struct Section {
  std::string heading;  ///< its file systems; empty: as before
  std::string rack;     ///< empty: its servers are in several, or the site names none
  std::vector<Band> bands;
  std::size_t column = 0;
  double top = 0, height = 0;

  double frame_top() const;  ///< of the rack
};

struct SystemLayout {
  static constexpr double kEdge = 24, kRow = 18, kPad = 4, kBlockGap = 8, kBandGap = 16;
  static constexpr double kHeading = 26, kRack = 22, kHead = 18, kStub = 30, kCable = 46;
  static constexpr double kLaneGap = 16, kColumnGap = 56;
  static constexpr int kText = 12, kSmall = 10;

  std::vector<Section> sections;
  std::vector<std::vector<std::string>> lanes;  ///< lines of text of each system of clients
  double lane_width = 0, router_width = 0, switch_width = 0, server_width = 0;
  double router_about = 0, server_about = 0;  ///< where the second text of a line begins
  double column_width = 0;
  std::size_t columns = 1;
  double top = 0, bottom = 0;  ///< of the columns

  double lane_left(std::size_t column, std::size_t lane) const;
  double routers_left(std::size_t column) const;
  double switch_left(std::size_t column) const;
  double servers_left(std::size_t column) const;
};

/// Systems of more than some hundred hosts are folded: a block has the names of its hosts in short.
SystemLayout lay_out_system(const plan::Plan& plan, const GroupMarks& marks, double top);

}  // namespace ulnet::tools::fgr
