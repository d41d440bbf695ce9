// The C trees of ulnet/cyaml.h and the trees that the rest of ulnet works with, each made from the
// other.
#pragma once

#include <nlohmann/json.hpp>

#include "admin/client/door_client.h"
#include "ulnet/cyaml.h"

namespace ulnet::dlc {

/// Adds children at the end of a node, which is looked for once.
class Children {
 public:
  explicit Children(cYAML* parent);
  /// `node`: a root of its own, with a key where the parent's children have one.
  void add(cYAML* node);

 private:
  cYAML* parent_;
  cYAML* last_;
};

/// A node of its own without a value; null without memory.
cYAML* create_null(const char* key);

/// A tree of the caller's; null without memory. A number that is no integer becomes text.
cYAML* cyaml_of(const ctl::Tree& tree);

/// What is deeper than limits::kConfigNestingMax levels is null.
ctl::Tree tree_of(const cYAML& node);

/// Adds the sections of a `show` to `*root`, which it makes when that is null. Empty sections are
/// left out; the items of a section that is there already are added to it. -ENOMEM: some may be
/// missing. A null `root`: nobody wants them.
int add_sections(const ctl::Tree& sections, cYAML** root);

}  // namespace ulnet::dlc
