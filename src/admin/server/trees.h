// A node's state as lnetctl's trees: the keys of `lnetctl ... show -v 5` and their order. Source:
// spec/cli-lnetctl.md 4, 12; the control API always shows everything, and its client leaves out
// what a lower verbosity does not show.
#pragma once

#include "admin/server/pieces.h"
#include "admin/server/reply.h"
#include "lnet/node/runtime/state.h"

namespace ulnet::node::control {

/// `net:` of net show (4.1); if `only` is given, of that net alone.
Json net_tree(const NodeState& state, const NetId* only = nullptr);
/// Writes an item of `peer:` of peer show (4.2). ulnet's own key `why` has the reason why a peer is
/// not used; a peer in use does not have it. False: no more is needed.
bool write_peer(Pieces& to, const core::PeerShow& peer, const NodeState& state);
/// `statistics:` of stats show (12.1).
Json statistics_tree(const NodeState& state);
/// `global:` of global show (4.6).
Json global_tree(const NodeState& state);
/// `nids:` of list_nids.
Json nids_tree(const NodeState& state);
/// ulnet's own: drops by reason, the counters of the drivers, and how long threads work without
/// a pause.
Json counters_tree(const NodeState& state);

}  // namespace ulnet::node::control
