// Path selection: the NI and the next hop of a message. It reads tables and changes nothing. It
// runs in the shard where the message begins, before it is known which shard transmits. It knows no
// routes yet. Source: spec/multirail.md 3.1, 3.2, 3.4, spec/core-semantics.md 12.
#pragma once

#include <vector>

#include "core/path/ni.h"
#include "core/path/peer.h"

namespace ulnet::core {

/// What the sender of a message wants. The NIDs must outlive it.
struct SendIntent {
  const Nid& target;
  Pid target_pid;
  const Nid& source;              ///< any: LNet chooses
  const PeerNid* peer = nullptr;  ///< what this shard knows of the target; null: nothing
  /// Of the target's peer; null: it has no multi-rail, or the message is for that NID and no other.
  Rails* rails = nullptr;
  bool internal = false;  ///< portal 0: neither uses nor sets a peer's fixed source
};

struct Choice {
  int status = 0;  ///< 0 or -ESHUTDOWN, -EINVAL, -EHOSTUNREACH with the reason
  const char* reason = "";
  /// Null, with status 0: the shard of `hop` picks it, because the peer always sees the same NI.
  LocalNi* ni = nullptr;
  Hop hop;
  bool in_turn = false;  ///< `ni` was chosen among others: take_turn() is due
  Rail* rail = nullptr;  ///< `hop`, if it was chosen among the NIDs of its peer: the same
};

/// What a candidate is preferred by: the terms of 3.2 A, B and C.
enum class Term : std::uint8_t {
  kFirst,  ///< they are equal: the one that stands first
  kFatal,
  kHealth,
  kPriority,
  kNetHealth,
  kNetPriority,
  kPreferred,
  kDistance,
  kCredits,
  kTurn,
  kNetTurn,
};
const char* to_string(Term term);

/// One of those among which select() chose, and what it looked at.
struct Candidate {
  enum class Kind : std::uint8_t { kNet, kNi, kPeerNi } kind = Kind::kNet;
  NetId net;  ///< kNet
  Nid nid;    ///< kNi, kPeerNi
  bool chosen = false;
  Term lost_by = Term::kFirst;                     ///< unless it was chosen
  bool fatal = false;                              ///< kNi
  std::int32_t health = 0;                         ///< kNet: of the peer's best NID on it
  std::int32_t net_health = 0;                     ///< kNet: of this node's best NI on it
  std::uint32_t priority = udsp::kNoPriority;      ///< kNet: of the peer's net
  std::uint32_t net_priority = udsp::kNoPriority;  ///< kNet: of this node's net
  bool preferred = false;  ///< kPeerNi: a policy wants it for messages from the NI chosen
  std::int64_t credits = 0;
  std::uint64_t turn = 0;  ///< when it was chosen last; 0: never
};
/// Why a path was chosen: the row of 3.1, and all candidates in the order of the steps A, B, C.
struct Explanation {
  const char* way = "";
  std::vector<Candidate> candidates;
};

/// What `nis` says of an NI is what this shard knows: its health is as the control shard told it
/// last, less what failed for this shard since; its credits are this shard's share, so they say
/// nothing about the share of the shard that transmits. The health of a peer's NIDs is as their
/// homes told it last, or as the last message to one that this shard began found it: a letter old.
/// The credits of a peer NI are exact where it has its home; elsewhere they are what they would be
/// if this shard alone sent to it. Turns are this shard's own. `why`, if it is not null, is filled
/// in.
Choice select(const NiTable& nis, const SendIntent& intent, Explanation* why = nullptr);

/// Step D of 3.2: what was chosen in turn goes to the end of the line.
void take_turn(NiTable& nis, const Choice& choice);

/// The NI of the net that is to be preferred: step B of 3.2 with the terms that ulnet has.
LocalNi* best_of(const LocalNet& net);
/// The NI for a message to a peer that always sees the same one of this node (3.4), in the shard of
/// that peer NI: the one that was chosen before, or the best one of the net. A null `ni`: this node
/// is not on the net.
Choice pick_source(const NiTable& nis, const PeerNi& peer);

}  // namespace ulnet::core
