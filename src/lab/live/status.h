// The state that the nodes of a laboratory report, as values, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/live/nodes.h"

namespace ulnet::tools::lab {

struct NiStatus {
  std::string nid, status;
  int health = 0;
};
struct NodeStatus {
  std::string name;
  Seen seen;
  std::vector<NiStatus> nis;
  std::size_t routes_up = 0, routes_down = 0;
  std::string trouble;  ///< why the node does not report more; empty: it does
};
/// Asks all nodes, several at a time. A control API that does not answer delays this for at most 5
/// s.
std::vector<NodeStatus> ask_nodes(const Laboratory& lab);

/// Returns a table with a line for each NI. The first line of a node also has the node's own state.
std::string status_table(const std::vector<NodeStatus>& nodes);
nlohmann::ordered_json status_json(const Laboratory& lab, const std::vector<NodeStatus>& nodes);

}  // namespace ulnet::tools::lab
