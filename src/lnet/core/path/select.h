// Path selection: the NI and the next hop of a message. Selection reads tables and changes nothing.
// It runs in the shard where the message begins; its result decides which shard transmits. Source:
// spec/multirail.md 3.1 to 3.4, spec/core-semantics.md 12.
#pragma once

#include "lnet/core/contract/path_explanation.h"
#include "lnet/core/path/select_route.h"

namespace ulnet::core {

/// The input of a path selection. The NIDs must outlive it.
struct SendIntent {
  const Nid& target;
  Pid target_pid;
  const Nid& source;              ///< any: LNet chooses
  const PeerNid* peer = nullptr;  ///< this shard's record of the target; null: none
  /// The rails of the target's peer; null: the peer has no multi-rail, or the message is for this
  /// NID only.
  Rails* rails = nullptr;
  bool internal = false;              ///< portal 0: neither uses nor sets a peer's fixed source
  std::int32_t memory_cpt = -1;       ///< the partition of the memory that is moved; -1: not known
  const RouteView* routes = nullptr;  ///< null: no routes
  /// For an answer: the neighbour from which its request came. For a ping through a certain route:
  /// its gateway. Else null.
  const Nid* back_to = nullptr;
  /// For a message that this node forwards: the neighbour from which it came. Else null.
  const Nid* came_from = nullptr;
};

struct Choice {
  int status = 0;  ///< 0 or -ESHUTDOWN, -EINVAL, -EHOSTUNREACH with the reason
  const char* reason = "";
  /// Null, with status 0: the shard of `hop` picks it, because the peer always sees the same NI.
  LocalNi* ni = nullptr;
  Hop hop;
  Nid destination;              ///< where the message ends: a NID of the target's peer
  RouteEntry* route = nullptr;  ///< the route used; null: `hop` is the destination
  bool in_turn = false;         ///< `ni` was chosen by round robin: take_turn() is due
  Rail* rail = nullptr;         ///< the rail of `hop`, if it was chosen among the NIDs of its peer
  Rail* far_rail = nullptr;     ///< the rail of `destination`, if that is behind a router
};

/// Selects the path of a message by the values of this shard. An NI's health is the last one from
/// the control shard, less the failures of this shard since. An NI's credits are this shard's
/// share, which may differ from the share of the shard that transmits. The health of a peer's NIDs
/// is the last one from their owner shards, or from this shard's last message to the NID, so it may
/// be one inter-shard message old. The credits of a peer NI are exact in its owner shard; elsewhere
/// they are computed as if this shard alone sent to it. Each shard has its own round robin. `why`,
/// if it is not null, is filled in.
Choice select(const NiTable& nis, const SendIntent& intent, Explanation* why = nullptr);

/// Moves the NI, NID and route of the choice to the end of the round robin (spec/multirail.md 3.2
/// step D, 3.3.5). `routes`: those of the intent.
void take_turn(NiTable& nis, const Choice& choice, const RouteView* routes = nullptr);

/// The NI for a message to a peer that always sees the same NI of this node (spec/multirail.md
/// 3.4), called in the shard of that peer NI: `fixed`, which was chosen before; else the best NI of
/// the NID's net, among those that a policy of `rules` prefers, if there are any. In the result
/// `ni` is null if this node is not on the net. `why`, if it is not null, gets what select() could
/// not explain.
Choice pick_source(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed,
                   std::int32_t memory_cpt, Explanation* why = nullptr);
/// Whether a policy prefers NIs of this node for the NID, and `fixed` is not one of them (3.4: the
/// peer then has to see another NI than before).
bool is_superseded(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed);

}  // namespace ulnet::core
