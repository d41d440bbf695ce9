// Path selection: the NI and the next hop of a message. It reads tables and changes nothing. It
// runs in the shard where the message begins, before it is known which shard transmits. So far it
// knows one NID per peer and no routes. Source: spec/multirail.md 3.1, 3.2 B, 3.4,
// spec/core-semantics.md 12.
#pragma once

#include "core/path/ni.h"
#include "core/path/peer.h"

namespace ulnet::core {

/// What the sender of a message wants. The NIDs must outlive it.
struct SendIntent {
  const Nid& target;
  Pid target_pid;
  const Nid& source;              ///< any: LNet chooses
  const PeerNid* peer = nullptr;  ///< what this shard knows of the target; null: nothing
  bool internal = false;          ///< portal 0: neither uses nor sets a peer's fixed source
};

struct Choice {
  int status = 0;  ///< 0 or -ESHUTDOWN, -EINVAL, -EHOSTUNREACH with the reason
  const char* reason = "";
  /// Null, with status 0: the shard of `hop` picks it, because the peer always sees the same NI.
  LocalNi* ni = nullptr;
  Hop hop;
  bool in_turn = false;  ///< `ni` is the net's best one: the caller has to set its sequence
};
/// What `nis` says of an NI is what this shard knows: its health is as the control shard told it
/// last, less what failed for this shard since; its credits are this shard's share, so they say
/// nothing about the share of the shard that transmits. The health of a peer's NIDs is as their
/// homes told it last, or as the last message to one that this shard began found it: a letter old.
Choice select(const NiTable& nis, const SendIntent& intent);

/// The NI of the net that is to be preferred: step B of 3.2 with the terms that ulnet has.
LocalNi* best_of(const LocalNet& net);
/// The NI for a message to a peer that always sees the same one of this node (3.4), in the shard of
/// that peer NI: the one that was chosen before, or the best one of the net. A null `ni`: this node
/// is not on the net.
Choice pick_source(const NiTable& nis, const PeerNi& peer);

}  // namespace ulnet::core
