// Converts between the C trees of ulnet/cyaml.h and the trees of the rest of ulnet.
#pragma once

#include <nlohmann/json.hpp>

#include "admin/client/control_client.h"
#include "ulnet/cyaml.h"

namespace ulnet::dlc {

/// Adds children at the end of a node. It looks for the end only once.
class Children {
 public:
  explicit Children(cYAML* parent);
  /// Adds `node`, which has no parent, and has a key if the parent's children have keys.
  void add(cYAML* node);

 private:
  cYAML* parent_;
  cYAML* last_;
};

/// Makes a root node without a value; null if memory runs out.
cYAML* create_null(const char* key);

/// Converts a C tree. Nodes deeper than limits::kConfigNestingMax levels become null.
ctl::Tree tree_of(const cYAML& node);

/// Makes the node of a value, with all nodes below it; null if memory runs out.
cYAML* node_of(const ctl::Tree& value, const char* key);

/// Adds the sections of a `show` to `*root`, and makes the root if `*root` is null. Leaves out
/// empty sections. The items of a section that exists already are added to that section. -ENOMEM:
/// some sections may be missing. A number that is not an integer becomes text. A null `root` means
/// that the caller does not want the sections.
int add_sections(const ctl::Tree& sections, cYAML** root);

}  // namespace ulnet::dlc
