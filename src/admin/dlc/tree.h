// Converts between the C trees of ulnet/cyaml.h and the trees of the rest of ulnet.
#pragma once

#include <nlohmann/json.hpp>

#include "admin/client/control_client.h"
#include "ulnet/cyaml.h"

namespace ulnet::dlc {

/// Adds children at the end of a node; it looks for the end once.
class Children {
 public:
  explicit Children(cYAML* parent);
  /// `node`: a root of its own, with a key if the parent's children have keys.
  void add(cYAML* node);

 private:
  cYAML* parent_;
  cYAML* last_;
};

/// A root node without a value; null if memory runs out.
cYAML* create_null(const char* key);

/// A tree that the caller owns; null if memory runs out. A number that is not an integer becomes
/// text.
cYAML* cyaml_of(const ctl::Tree& tree);

/// Nodes deeper than limits::kConfigNestingMax levels become null.
ctl::Tree tree_of(const cYAML& node);

/// Adds the sections of a `show` to `*root`, which it makes when that is null. Empty sections are
/// left out; the items of a section that exists already are added to it. -ENOMEM: some may be
/// missing. A null `root`: the caller does not want them.
int add_sections(const ctl::Tree& sections, cYAML** root);

}  // namespace ulnet::dlc
