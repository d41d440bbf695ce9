// What the nodes of a laboratory say of themselves, and that as a table and as JSON.
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
  std::string trouble;  ///< why the node does not say more; empty when it does
};
/// Asks all nodes, several at a time. A door that does not answer holds up no longer than 5 s.
std::vector<NodeStatus> ask_nodes(const Laboratory& lab);

/// A line for each NI; the first of a node has what is said of the node.
std::string status_table(const std::vector<NodeStatus>& nodes);
nlohmann::ordered_json status_json(const Laboratory& lab, const std::vector<NodeStatus>& nodes);

/// "19.5 MiB"
std::string mebibytes_text(std::uint64_t bytes);

}  // namespace ulnet::tools::lab
