#include "admin/client/yaml_tree.h"

#include <nlohmann/json.hpp>

namespace ulnet::ctl {

Tree tree_of(const conf::YamlNode& node) {
  switch (node.kind) {
    case conf::YamlNode::Kind::kNull:
      return nullptr;
    case conf::YamlNode::Kind::kScalar:
      if (const auto number = node.as_int()) return *number;
      if (node.text == "true" || node.text == "false") return node.text == "true";
      return node.text;
    case conf::YamlNode::Kind::kSequence: {
      Tree list = Tree::array();
      for (const conf::YamlNode& item : node.items) list.push_back(tree_of(item));
      return list;
    }
    case conf::YamlNode::Kind::kMap: {
      Tree map = Tree::object();
      for (const conf::YamlEntry& entry : node.entries) map[entry.key] = tree_of(entry.value);
      return map;
    }
  }
  return nullptr;
}

}  // namespace ulnet::ctl
