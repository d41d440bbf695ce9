// The path of a message through the network, hop by hop, as the nodes on it would choose it now.
// Source: docs/CONTROL-API.md, GET /v1/path.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "admin/client/control_api.h"
#include "lab/view/observation.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// One leg: `node` sends from its NI `source` to the NI `hop`, which belongs to `to`.
struct Leg {
  std::string node, source, hop, to;
  ctl::Tree why;  ///< the node's explanation of its choice
};

struct WayFound {
  std::vector<Leg> legs;
  std::string trouble;  ///< why the path ends before the target; empty: it reaches the target
};

/// The answer of the node of this name to a GET of this path.
using AskNode = std::function<Result<ctl::Tree>(const std::string& node, const std::string& path)>;

/// Finds the path from one node to another. The target is the first NID of `to` that a net or a
/// route of `from` leads to. There is at most one leg for each node, so a routing loop ends it.
WayFound find_way(const std::vector<ObservedNode>& nodes, const std::string& from,
                  const std::string& to, const AskNode& ask);

/// `{"legs": [{"node", "source", "hop", "to", "why"}], "trouble": …}`.
ctl::Tree tree_of(const WayFound& way);

}  // namespace ulnet::tools::lab
