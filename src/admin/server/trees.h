// A node's state as lnetctl's trees: the keys of `lnetctl ... show -v 5` and their order. The
// control API always shows everything; its client leaves out keys that a lower verbosity does not
// show. Source: spec/cli-lnetctl.md 4, 12.
#pragma once

#include "admin/server/pieces.h"
#include "admin/server/reply.h"
#include "lnet/node/runtime/state.h"

namespace ulnet::node::control {

/// Returns `net:` of net show (4.1); if `only` is given, only that net.
Json net_tree(const NodeState& state, const NetId* only = nullptr);
/// Writes an item of `peer:` of peer show (4.2). ulnet's own key `why` has the reason why a peer is
/// not used; a peer in use does not have this key. Returns false when no more text is needed.
bool write_peer(Pieces& to, const core::PeerShow& peer, const NodeState& state);
/// Returns `statistics:` of stats show (12.1).
Json statistics_tree(const NodeState& state);
/// Returns `global:` of global show (4.6).
Json global_tree(const NodeState& state);
/// Returns `nids:` of list_nids.
Json nids_tree(const NodeState& state);
/// Returns ulnet's own counters: drops by reason, the counters of the drivers, and how long threads
/// work without a pause.
Json counters_tree(const NodeState& state);

}  // namespace ulnet::node::control
