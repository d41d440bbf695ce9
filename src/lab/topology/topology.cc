#include "lab/topology/topology.h"

#include <algorithm>
#include <limits>

#include "lab/topology/names.h"
#include "lnet/base/text.h"

namespace ulnet::tools::lab {

std::optional<NodeNumber> Topology::find_node(std::string_view word) const {
  const auto found = std::ranges::find(nodes, word, &Node::name);
  if (found == nodes.end()) return {};
  return static_cast<NodeNumber>(found - nodes.begin());
}

std::vector<NodeNumber> Topology::nodes_named(std::string_view word) const {
  std::vector<NodeNumber> numbers;
  const auto add_those = [&](auto&& fits) {
    for (NodeNumber number = 0; number < nodes.size(); ++number)
      if (fits(nodes[number])) numbers.push_back(number);
  };
  if (NamePattern::is_one(word)) {
    if (const auto pattern = NamePattern::parse(word))
      add_those([&](const Node& node) { return pattern->matches(node.name); });
  } else {
    add_those(
        [&](const Node& node) { return word == "all" || node.name == word || node.group == word; });
  }
  return numbers;
}

std::optional<std::pair<NodeNumber, std::uint32_t>> Topology::find_rail(
    std::string_view word) const {
  const std::size_t colon = word.find(':');
  const auto node = find_node(word.substr(0, colon));
  if (!node) return {};
  const std::size_t rails = nodes[*node].rails.size();
  std::optional<std::uint32_t> index;
  if (colon != std::string_view::npos)
    index = text::number(word.substr(colon + 1), std::numeric_limits<std::uint32_t>::max());
  else if (rails == 1)
    index = 0;
  if (!index || *index >= rails) return {};
  return std::pair(*node, *index);
}

}  // namespace ulnet::tools::lab
