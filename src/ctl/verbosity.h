// What of the door's complete trees a command shows: by verbosity, or what a backup keeps. Source:
// spec/cli-lnetctl.md 4.1, 4.2, 6.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "conf/interfaces.h"
#include "ctl/door_client.h"

namespace ulnet::ctl {

/// `{"net": [...]}` or `{"peer": [...]}` as `show -v LEVEL` prints it. Keys that this program does
/// not know show from level 1.
Tree at_verbosity(const Tree& tree, int level);

/// The tree with what Lustre's own lnetctl prints otherwise: transmit credits below zero as
/// unsigned numbers of 32 bits. Scripts compare.
Tree as_recorded(Tree tree);

/// Only what configures: no counters, states, NIDs or read-only tunables, and no lo. A NID stays
/// where the interface alone would not bring it back on this machine.
Tree backup_of_nets(const Tree& tree, std::span<const conf::LocalInterface> interfaces);
/// ... and without the peers that traffic alone made.
Tree backup_of_peers(const Tree& tree);

/// `{"param": {name: value}}`: the parameters that differ from their defaults and that nothing else
/// in an export says.
Tree params_to_export(const Tree& params);

}  // namespace ulnet::ctl
