// Converts a YAML text's nodes to the kind of tree that the control API answers.
#pragma once

#include "admin/client/control_api.h"
#include "text/yaml_node.h"

namespace ulnet::ctl {

/// Converts a node and all nodes below it. Decimal scalars become numbers, "true" and "false"
/// booleans, all other scalars texts. If a key occurs twice, its last value counts.
Tree tree_of(const conf::YamlNode& node);

}  // namespace ulnet::ctl
