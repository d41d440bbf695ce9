// Converts between trees and text, and makes trees of errors. Source: spec/cli-lnetctl.md 4, 7, 13.
#include <cerrno>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include "admin/client/export.h"
#include "admin/conf/yaml_out.h"
#include "admin/dlc/tree.h"
#include "text/yaml_node.h"

namespace ulnet::dlc {

namespace {

using ctl::Tree;

/// Makes the tree of a scalar. It is a number or boolean if the scalar is plain and is printed
/// again in the same form; else it is text.
Tree scalar_of(const conf::YamlNode& node) {
  if (node.text == "true" || node.text == "True") return true;
  if (node.text == "false" || node.text == "False") return false;
  const auto number = node.as_int();
  if (number && std::to_string(*number) == node.text) return *number;
  return node.text;
}

/// Makes the value of a node, whose mappings have different keys: it looks for no earlier key of a
/// name, because a text may be wide.
Tree value_of_yaml(const conf::YamlNode& node) {
  if (node.is_scalar()) return scalar_of(node);
  Tree tree;
  if (node.is_sequence()) tree = Tree::array();
  if (node.is_map()) tree = Tree::object();
  for (const conf::YamlNode& item : node.items) tree.push_back(value_of_yaml(item));
  for (const conf::YamlEntry& entry : node.entries)
    tree.get_ref<Tree::object_t&>().emplace_back(entry.key, value_of_yaml(entry.value));
  return tree;
}

/// Returns the place of the first key that its mapping already has; line 0: no such key.
conf::Place key_twice(const conf::YamlNode& node) {
  std::set<std::string_view> keys;
  for (const conf::YamlEntry& entry : node.entries) {
    if (!keys.insert(entry.key).second) return entry.value.key_place;
    if (const auto place = key_twice(entry.value); place.line != 0) return place;
  }
  for (const conf::YamlNode& item : node.items)
    if (const auto place = key_twice(item); place.line != 0) return place;
  return {};
}

/// Returns the text's only document.
conf::Parsed<conf::YamlNode> read(std::string_view text) {
  auto documents = conf::load_yaml(text);
  if (!documents) return tl::unexpected(documents.error());
  if (documents->size() > 1)
    return tl::unexpected(conf::Problem{(*documents)[1].place, "a second document begins here"});
  conf::YamlNode empty;
  empty.kind = conf::YamlNode::Kind::kMap;
  conf::YamlNode root = documents->empty() ? empty : std::move(documents->front());
  if (root.is_null()) root = empty;
  if (const auto place = key_twice(root); place.line != 0)
    return tl::unexpected(conf::Problem{place, "this key is there twice"});
  return root;
}

std::string text_of(const cYAML* root) {
  if (root == nullptr) return {};
  const Tree tree = tree_of(*root);
  return tree.is_object() ? ctl::sections_to_yaml(tree)
                          : conf::to_yaml(tree, conf::YamlStyle::kClassic);
}

/// Runs the body of a C function. No exception leaves it; if memory runs out, its result is
/// `without_memory`.
template <class Result, class Body>
Result guarded(Result without_memory, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return without_memory;
  }
}

}  // namespace

}  // namespace ulnet::dlc

extern "C" {

cYAML* cYAML_build_tree(const char* text, size_t length, cYAML** err_rc) {
  using namespace ulnet;
  cYAML* const none = nullptr;
  return dlc::guarded(none, [&]() -> cYAML* {
    const auto root = dlc::read({text == nullptr ? "" : text, text == nullptr ? 0 : length});
    if (root) return dlc::node_of(dlc::value_of_yaml(*root), nullptr);
    const conf::Problem& problem = root.error();
    cYAML_build_error(problem.code, -1, "yaml", "builder", to_string(problem).c_str(), err_rc);
    return nullptr;
  });
}

char* cYAML_print_tree2text(const cYAML* root) {
  char* const none = nullptr;
  return ulnet::dlc::guarded(none, [&] { return ::strdup(ulnet::dlc::text_of(root).c_str()); });
}

int cYAML_print_tree2file(FILE* file, const cYAML* root) {
  return ulnet::dlc::guarded(-ENOMEM, [&] {
    const std::string text = ulnet::dlc::text_of(root);
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : -EIO;
  });
}

int cYAML_print_tree(const cYAML* root) { return cYAML_print_tree2file(stdout, root); }

int cYAML_build_error(int rc, int seq_no, const char* op, const char* entity, const char* descr,
                      cYAML** err_rc) {
  if (err_rc == nullptr) return rc;
  ulnet::dlc::guarded(-ENOMEM, [&] {
    ulnet::ctl::Tree error = ulnet::ctl::Tree::object();
    if (seq_no != -1) error["seq_no"] = seq_no;
    error["errno"] = rc;
    error["descr"] = descr == nullptr ? "" : descr;
    ulnet::ctl::Tree item = ulnet::ctl::Tree::object();
    item[entity == nullptr ? "" : entity] = std::move(error);
    ulnet::ctl::Tree tree = ulnet::ctl::Tree::object();
    tree[op == nullptr ? "" : op].push_back(std::move(item));
    return ulnet::dlc::add_sections(tree, err_rc);
  });
  return rc;
}

}  // extern "C"
