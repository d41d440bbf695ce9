// Selects from the control API's complete trees what a verbosity shows, or what a backup keeps.
// Source: spec/cli-lnetctl.md 4.1, 4.2, 6.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "admin/client/control_client.h"
#include "lnet/config/interfaces.h"

namespace ulnet::ctl {

/// Returns `{"net": [...]}` or `{"peer": [...]}` as `show -v LEVEL` prints it. Keys that this
/// program does not know are shown from level 1 on.
Tree at_verbosity(const Tree& tree, int level);

/// Returns the tree as Lustre's own lnetctl prints it, for scripts that compare it. Transmit
/// credits below zero are unsigned numbers of 32 bits. The tree has no preferred sources
/// (spec/cli-lnetctl.md 14.7), and none of ulnet's own keys of peers.
Tree as_recorded(Tree tree);

/// Keeps only configuration: no counters, states or read-only tunables, and no lo. Keeps a NID only
/// if adding the interface would not give the same NID on this machine.
Tree backup_of_nets(const Tree& tree, std::span<const conf::LocalInterface> interfaces);
/// Keeps only the configuration of routes, without state and type.
Tree backup_of_routes(const Tree& tree);
/// Keeps only the configuration of peers, without peers that traffic or discovery made. These will
/// be made again, and could not change any more if they were configured.
Tree backup_of_peers(const Tree& tree);

/// Returns `{"param": {name: value}}`: the parameters that differ from their defaults and are in no
/// other section of an export.
Tree params_to_export(const Tree& params);

}  // namespace ulnet::ctl
