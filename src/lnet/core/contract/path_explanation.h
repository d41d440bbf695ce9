// Why a path was chosen: the candidates of each step of the selection, and the term by which each
// of them lost. The selection fills it in (lnet/core/path/select.h), the control API shows it.
// Source: spec/multirail.md 3.1, 3.2.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/core/udsp/rule.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// The terms by which candidates are compared: those of 3.2 A, B and C, and of 3.3.
enum class Term : std::uint8_t {
  kFirst,  ///< they are equal: the first one wins
  kFatal,
  kNoNiWorks,
  kHealth,
  kHops,
  kQueued,
  kPriority,
  kNetHealth,
  kNetPriority,
  kPreferred,
  kDistance,
  kCredits,
  kTurn,
  kNetTurn,
};
/// Why a candidate lost, in words.
const char* to_string(Term term);

/// One of the candidates of select(), and the values that were compared.
struct Candidate {
  enum class Kind : std::uint8_t { kNet, kNi, kPeerNi, kRoute } kind = Kind::kNet;
  NetId net;  ///< kNet
  Nid nid;    ///< kNi, kPeerNi; kRoute: of the gateway
  bool chosen = false;
  Term lost_by = Term::kFirst;                     ///< unless it was chosen
  bool fatal = false;                              ///< kNi
  std::int32_t health = 0;                         ///< kNet: of the peer's best NID on the net
  std::int32_t net_health = 0;                     ///< kNet: of this node's best NI on the net
  std::uint32_t priority = udsp::kNoPriority;      ///< kNet: of the peer's net
  std::uint32_t net_priority = udsp::kNoPriority;  ///< kNet: of this node's net
  /// kPeerNi: a policy prefers it for messages from the NI chosen. kRoute: a policy prefers this
  /// router for the destination.
  bool preferred = false;
  std::int32_t hops = 0;       ///< kRoute
  std::int64_t queued = 0;     ///< kRoute: bytes that wait for the gateway or are in flight to it
  std::uint32_t distance = 0;  ///< kNi: from the memory, at least numa_range; 0: not known
  std::int64_t credits = 0;
  std::uint64_t turn = 0;      ///< when it was chosen last; 0: never
  std::uint64_t net_turn = 0;  ///< kNet: when this node's net was chosen last
};
/// Why a path was chosen: the row of 3.1, and all candidates in the order of the steps A, B, C.
struct Explanation {
  const char* way = "";
  std::vector<Candidate> candidates;
};

}  // namespace ulnet::core
