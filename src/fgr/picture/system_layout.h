// The places of the parts of a system's picture on sheets of paper. A small system is one sheet
// with its clients, a band for each switch, and the table of groups. A larger one begins with an
// overview that has a line for each switch; then come the table, and sheets with the hosts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/picture/columns.h"
#include "fgr/picture/group_marks.h"
#include "fgr/picture/group_table.h"
#include "fgr/picture/paper.h"

namespace ulnet::tools::fgr {

/// A client system, as one box on the left.
struct ClientBox {
  std::vector<std::string> lines;
  double top = 0, height = 0;  ///< on each sheet that has the box
};

struct SystemLayout {
  static constexpr double kClientRow = 16;

  Paper paper;
  std::size_t sheets = 1;
  std::string title, about;
  std::vector<ClientBox> clients;
  double clients_width = 0;
  Columns overview;  ///< without bands: the details are beside the clients
  Columns details;
  GroupTable table;

  /// Returns the columns beside the boxes of clients. Above the other columns stand the names of
  /// clients.
  const Columns& beside_clients() const { return overview.bands.empty() ? details : overview; }
  /// Returns the height of the line from a client system to columns after the first.
  double bus_y(std::size_t client) const { return Paper::top() + kBus * (0.5 + double(client)); }
  static constexpr double kBus = 8;
  static constexpr double kClientName = 15;  ///< a line above columns without boxes
};

SystemLayout lay_out_system(const plan::Plan& plan, const GroupMarks& marks);

}  // namespace ulnet::tools::fgr
