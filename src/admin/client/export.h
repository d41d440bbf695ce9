// A node's state as YAML, from which `import` restores the same state. Source: spec/cli-lnetctl.md
// 6.
#pragma once

#include <span>
#include <string>

#include "admin/client/lnetconfig.h"
#include "lnet/config/interfaces.h"

namespace ulnet::ctl {

/// Makes the sections of an export, in their order; leaves out empty sections. `interfaces` are the
/// interfaces of this machine.
Result<Tree> export_tree(LnetConfig& lnet, bool backup,
                         std::span<const conf::LocalInterface> interfaces);

/// Formats the tree of an export (or of any show) as YAML, each section in its own YamlStyle.
std::string sections_to_yaml(const Tree& tree);

}  // namespace ulnet::ctl
