// Path selection: which NI and which next hop carry a message. Reads tables, changes nothing.
// Several rails and routes come with their issues; this is the part that a node without them needs.
// Source: spec/multirail.md 3.1, 3.2 B, 3.4, spec/core-semantics.md 12.
#pragma once

#include "core/ni.h"
#include "core/peer.h"

namespace ulnet::core {

struct Route {
  ProcessId target;
  Nid source;                    ///< any: LNet chooses
  const PeerNi* peer = nullptr;  ///< of the target, when it is known
  bool internal = false;         ///< portal 0: neither uses nor sets a peer's fixed source
};

struct Choice {
  int status = 0;  ///< 0 or -ESHUTDOWN, -EINVAL, -EHOSTUNREACH with the reason
  const char* reason = "";
  LocalNi* ni = nullptr;
  Hop hop;
  bool fix_source = false;  ///< the peer NI shall remember the NI
  bool in_turn = false;     ///< the NI was chosen among others: its net's turn goes on
};
Choice select(const NiTable& nis, const Route& route);

}  // namespace ulnet::core
