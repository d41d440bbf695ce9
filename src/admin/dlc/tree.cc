#include "admin/dlc/tree.h"

#include <cerrno>
#include <string>

#include "lnet/base/limits.h"

namespace ulnet::dlc {

namespace {

using ctl::Tree;

/// Makes a node without children.
cYAML* leaf_of(const Tree& value, const char* key) {
  switch (value.type()) {
    case Tree::value_t::object:
      return cYAML_create_object(nullptr, key);
    case Tree::value_t::array:
      return cYAML_create_seq(nullptr, key);
    case Tree::value_t::string:
      return cYAML_create_string(nullptr, key, value.get_ref<const std::string&>().c_str());
    case Tree::value_t::boolean:
      return cYAML_create_bool(nullptr, key, value.get<bool>());
    case Tree::value_t::number_integer:
    case Tree::value_t::number_unsigned:
      return cYAML_create_number(nullptr, key, value.get<std::int64_t>());
    case Tree::value_t::null:
      return create_null(key);
    default:
      return cYAML_create_string(nullptr, key, value.dump().c_str());
  }
}

}  // namespace

cYAML* node_of(const Tree& value, const char* key) {
  cYAML* const node = leaf_of(value, key);
  if (node == nullptr || !value.is_structured()) return node;
  Children children(node);
  for (auto at = value.begin(); at != value.end(); ++at) {
    cYAML* const child = node_of(*at, value.is_object() ? at.key().c_str() : nullptr);
    if (child == nullptr) return cYAML_free_tree(node), nullptr;
    children.add(child);
  }
  return node;
}

namespace {

Tree value_of(const cYAML& node, unsigned levels) {
  switch (node.type) {
    case CYAML_NULL:
      return {};
    case CYAML_BOOL:
      return node.number != 0;
    case CYAML_NUMBER:
      return node.number;
    case CYAML_STRING:
      return std::string(node.string == nullptr ? "" : node.string);
    case CYAML_SEQUENCE:
    case CYAML_OBJECT:
      break;
  }
  if (levels == 0) return {};
  Tree tree = node.type == CYAML_OBJECT ? Tree::object() : Tree::array();
  for (const cYAML* child = node.child; child != nullptr; child = child->next) {
    Tree value = value_of(*child, levels - 1);
    // Adds the key without looking for an earlier key of that name, because a tree may be wide.
    if (node.type == CYAML_OBJECT)
      tree.get_ref<Tree::object_t&>().emplace_back(child->key == nullptr ? "" : child->key,
                                                   std::move(value));
    else
      tree.push_back(std::move(value));
  }
  return tree;
}

/// Adds the children of `more` to a section of the same kind.
int join(cYAML* section, const Tree& more) {
  Children children(section);
  for (auto at = more.begin(); at != more.end(); ++at) {
    cYAML* const child = node_of(*at, more.is_object() ? at.key().c_str() : nullptr);
    if (child == nullptr) return -ENOMEM;
    children.add(child);
  }
  return 0;
}

int add_section(cYAML* root, const char* name, const Tree& value) {
  cYAML* const there = cYAML_get_object_item(root, name);
  const bool same =
      there != nullptr && there->type == (value.is_object() ? CYAML_OBJECT : CYAML_SEQUENCE);
  if (same && value.is_structured()) return join(there, value);
  cYAML* const node = node_of(value, name);
  if (node == nullptr) return -ENOMEM;
  return cYAML_insert_child(root, node);
}

}  // namespace

Tree tree_of(const cYAML& node) { return value_of(node, limits::kConfigNestingMax); }

int add_sections(const Tree& sections, cYAML** root) {
  if (root == nullptr) return 0;
  for (const auto& [name, value] : sections.items()) {
    if (value.is_structured() && value.empty()) continue;
    if (*root == nullptr) *root = cYAML_create_object(nullptr, nullptr);
    if (*root == nullptr) return -ENOMEM;
    if (const int code = add_section(*root, name.c_str(), value); code != 0) return code;
  }
  return 0;
}

}  // namespace ulnet::dlc
