#include "sim/scenario/reading.h"

#include <algorithm>

namespace ulnet::sim {

std::vector<NodeNumber> NodeNames::in(text::Fields& fields, std::string_view key) const {
  std::vector<NodeNumber> nodes;
  const auto add = [&](const conf::YamlNode& name) {
    const auto found = nodes_.find(name.text);
    if (!name.is_scalar() || found == nodes_.end())
      return fields.wrong(name, "unknown node '" + name.shown() + "'");
    nodes.insert(nodes.end(), found->second.begin(), found->second.end());
  };
  const conf::YamlNode* names = fields.need(key);
  if (names == nullptr) return nodes;
  if (!names->is_sequence()) add(*names);
  for (const conf::YamlNode& name : names->items) add(name);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::optional<NodeNumber> NodeNames::single(const std::string& name) const {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || found->second.size() != 1) return {};
  return found->second.front();
}

}  // namespace ulnet::sim
