// Selects from the control API's complete trees what a verbosity shows, or what a backup keeps.
// Source: spec/cli-lnetctl.md 4.1, 4.2, 6.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "admin/client/control_client.h"
#include "lnet/config/interfaces.h"

namespace ulnet::ctl {

/// `{"net": [...]}` or `{"peer": [...]}` as `show -v LEVEL` prints it. Keys that this program
/// does not know are shown from level 1 on.
Tree at_verbosity(const Tree& tree, int level);

/// The tree as Lustre's own lnetctl prints it, which scripts compare: transmit credits below zero
/// as unsigned numbers of 32 bits, no preferred sources (spec/cli-lnetctl.md 14.7), and none of
/// ulnet's own keys of peers.
Tree as_recorded(Tree tree);

/// Keeps only configuration: no counters, states or read-only tunables, and no lo. Keeps a NID only
/// if adding the interface would not give the same NID on this machine.
Tree backup_of_nets(const Tree& tree, std::span<const conf::LocalInterface> interfaces);
/// The same for routes: without state and type.
Tree backup_of_routes(const Tree& tree);
/// The same for peers, without those that traffic or discovery made: these will be made again, and
/// could not change any more if they were configured.
Tree backup_of_peers(const Tree& tree);

/// `{"param": {name: value}}`: the parameters that differ from their defaults and are in no other
/// section of an export.
Tree params_to_export(const Tree& params);

}  // namespace ulnet::ctl
