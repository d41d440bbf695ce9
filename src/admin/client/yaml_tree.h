// A YAML text's nodes as the tree that a door would answer.
#pragma once

#include "admin/client/door.h"
#include "text/yaml_node.h"

namespace ulnet::ctl {

/// Scalars are numbers where they are decimal, truths where they are "true" or "false", else texts.
/// Of keys that are there twice the last counts.
Tree tree_of(const conf::YamlNode& node);

}  // namespace ulnet::ctl
