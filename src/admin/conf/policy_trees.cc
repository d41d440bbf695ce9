#include "admin/conf/policy_trees.h"

#include <nlohmann/json.hpp>

namespace ulnet::conf {

namespace {

using Tree = nlohmann::ordered_json;

void put(Tree& to, const char* key, const std::optional<core::udsp::Criterion>& criterion) {
  if (criterion) to[key] = criterion->to_string();
}

}  // namespace

Tree udsp_tree(const core::udsp::RuleList& rules) {
  Tree list = Tree::array();
  for (const auto& [id, rule] : rules.entries()) {
    Tree item = {{"idx", list.size()}};
    put(item, "src", rule.src);
    put(item, "dst", rule.dst);
    put(item, "rte", rule.rte);
    if (rule.priority) item["action"] = {{"priority", *rule.priority}};
    list.push_back(std::move(item));
  }
  return Tree{{"udsp", std::move(list)}};
}

Tree selection_item(const Selection& selection) {
  const bool pair = selection.type == SelectionType::kPeer;
  const std::string type(to_string(selection.type));
  Tree item = {{"type", type}};
  put(item, pair ? "local" : type.c_str(), selection.what);
  put(item, "remote", selection.remote);
  if (selection.priority) item["priority"] = *selection.priority;
  return item;
}

Tree selection_tree(const core::udsp::RuleList& rules) {
  Tree list = Tree::array();
  for (const auto& [id, selection] : selections_of(rules)) {
    Tree item = {{"id", id}};
    item.update(selection_item(selection));
    list.push_back(std::move(item));
  }
  return Tree{{"selection", std::move(list)}};
}

}  // namespace ulnet::conf
