// Path selection: the NI and the next hop of a message. It reads tables and changes nothing. It
// runs in the shard where the message begins, before it is known which shard transmits. Source:
// spec/multirail.md 3.1 to 3.4, spec/core-semantics.md 12.
#pragma once

#include "lnet/core/contract/path_explanation.h"
#include "lnet/core/path/select_route.h"

namespace ulnet::core {

/// What the sender of a message wants. The NIDs must outlive it.
struct SendIntent {
  const Nid& target;
  Pid target_pid;
  const Nid& source;              ///< any: LNet chooses
  const PeerNid* peer = nullptr;  ///< what this shard knows of the target; null: nothing
  /// Of the target's peer; null: it has no multi-rail, or the message is for that NID and no other.
  Rails* rails = nullptr;
  bool internal = false;              ///< portal 0: neither uses nor sets a peer's fixed source
  std::int32_t memory_cpt = -1;       ///< the partition of the memory that is moved; -1: not known
  const RouteView* routes = nullptr;  ///< null: there are none
  /// An answer: the neighbour from which its request came. A ping of a certain route: its gateway.
  /// Else null.
  const Nid* back_to = nullptr;
  /// The neighbour from which a message came that this node forwards; else null.
  const Nid* came_from = nullptr;
};

struct Choice {
  int status = 0;  ///< 0 or -ESHUTDOWN, -EINVAL, -EHOSTUNREACH with the reason
  const char* reason = "";
  /// Null, with status 0: the shard of `hop` picks it, because the peer always sees the same NI.
  LocalNi* ni = nullptr;
  Hop hop;
  Nid destination;              ///< where the message ends: a NID of the target's peer
  RouteEntry* route = nullptr;  ///< by which it goes; null: `hop` is where it ends
  bool in_turn = false;         ///< `ni` was chosen among others: take_turn() is due
  Rail* rail = nullptr;         ///< `hop`, if it was chosen among the NIDs of its peer: the same
  Rail* far_rail = nullptr;     ///< the same of `destination`, if that is behind a router
};

/// What `nis` says of an NI is what this shard knows: its health is as the control shard told it
/// last, less what failed for this shard since; its credits are this shard's share, so they say
/// nothing about the share of the shard that transmits. The health of a peer's NIDs is as their
/// homes told it last, or as the last message to one that this shard began found it: a letter old.
/// The credits of a peer NI are exact where it has its home; elsewhere they are what they would be
/// if this shard alone sent to it. Turns are this shard's own. `why`, if it is not null, is filled
/// in.
Choice select(const NiTable& nis, const SendIntent& intent, Explanation* why = nullptr);

/// Step D of 3.2, and 3.3.5: what was chosen in turn goes to the end of the line. `routes`: as the
/// intent had them.
void take_turn(NiTable& nis, const Choice& choice, const RouteView* routes = nullptr);

/// The NI for a message to a peer that always sees the same one of this node (3.4), in the shard of
/// that peer NI: `fixed`, which was chosen before; else the best one of the NID's net, of those
/// that a policy of `rules` prefers for it, if there are any. A null `ni`: this node is not on the
/// net.
/// `why`, if it is not null, gets what is to be said besides what select() said.
Choice pick_source(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed,
                   std::int32_t memory_cpt, Explanation* why = nullptr);
/// Whether a policy prefers NIs of this node for the NID, and this is none of them (3.4: the peer
/// is to see another one than before).
bool is_outdone(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed);

}  // namespace ulnet::core
