#include "lab/view/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/topology/rate.h"

namespace ulnet::tools::lab {

Figures figures_of(const Topology& topology, const std::vector<ObservedNode>& nodes) {
  Figures figures;
  std::size_t up = 0;
  std::uint64_t bytes = 0;
  for (NodeNumber number = 0; number < topology.nodes.size(); ++number) {
    const Node& node = topology.nodes[number];
    const auto seen = std::ranges::find(nodes, node.name, &ObservedNode::name);
    if (seen == nodes.end() || seen->state != NodeState::kUp) {
      figures.marks[number] = to_string(seen == nodes.end() ? NodeState::kUnknown : seen->state);
      continue;
    }
    ++up;
    for (std::uint32_t rail = 0; rail < node.rails.size(); ++rail) {
      const std::string nid = topology.nid_of(node.rails[rail]).to_string();
      const auto ni = std::ranges::find(seen->nis, nid, &ObservedNi::nid);
      if (ni == seen->nis.end()) continue;
      figures.rails[{number, rail}] = {ni->sent, ni->received, ni->up};
    }
    bytes += seen->goodput();
  }
  figures.note = fmt::format("{} of {} nodes up, {} of payload received by end nodes", up,
                             topology.nodes.size(), size_words(bytes));
  return figures;
}

}  // namespace ulnet::tools::lab
