// Path selection: the NI and the next hop of a message. It reads tables and changes nothing. So
// far it knows one NID per peer and no routes. Source: spec/multirail.md 3.1, 3.2 B, 3.4,
// spec/core-semantics.md 12.
#pragma once

#include "core/path/ni.h"
#include "core/path/peer.h"

namespace ulnet::core {

/// What the sender of a message wants.
struct SendIntent {
  ProcessId target;
  Nid source;                    ///< any: LNet chooses
  const PeerNi* peer = nullptr;  ///< the target's entry; null: it has none yet
  bool internal = false;         ///< portal 0: neither uses nor sets a peer's fixed source
};

struct Choice {
  int status = 0;  ///< 0 or -ESHUTDOWN, -EINVAL, -EHOSTUNREACH with the reason
  const char* reason = "";
  LocalNi* ni = nullptr;
  Hop hop;
  bool fix_source = false;  ///< the caller has to set PeerNi::fixed_source to `ni`
  bool in_turn = false;     ///< `ni` is the net's best one: the caller has to set its sequence
};
Choice select(const NiTable& nis, const SendIntent& intent);

}  // namespace ulnet::core
