// The steps of a selection: which of several NIs, NIDs of a peer or nets is preferred, term by
// term. select.h and select_route.h combine the steps. Source: spec/multirail.md 3.2.
#pragma once

#include "lnet/core/contract/path_explanation.h"
#include "lnet/core/path/ni.h"
#include "lnet/core/path/peer.h"

namespace ulnet::core {

/// Whether the first of two candidates is preferred, and the term that decides.
struct Comparison {
  bool better = false;
  Term by = Term::kFirst;
};
/// The terms of a step, one after the other: the first one that differs decides.
class Terms {
 public:
  template <class T>
  Terms& higher(Term term, const T& a, const T& b) {
    if (!decided_ && a != b) decide(a > b, term);
    return *this;
  }
  template <class T>
  Terms& lower(Term term, const T& a, const T& b) {
    return higher(term, b, a);
  }
  Comparison verdict() const { return verdict_; }

 private:
  void decide(bool better, Term by) {
    verdict_ = {better, by};
    decided_ = true;
  }
  Comparison verdict_;
  bool decided_ = false;
};

/// A net on which both this node and the peer are.
struct CommonNet {
  PeerNet* peer = nullptr;
  LocalNet* local = nullptr;
  std::int32_t peer_health = 0, local_health = 0;
};
/// Step A: the net for a message to a peer; `peer` null: no net in common. `only`, if it is not
/// null: the only net allowed. In all steps `why`, if it is not null, gets the candidates.
CommonNet best_net(const NiTable& nis, Rails& rails, const LocalNet* only, Explanation* why);

/// Step B: the preferred NI of the net for memory of this partition (-1: not known).
LocalNi* best_of(const LocalNet& net, std::int32_t memory_cpt);
/// Whether step B prefers `a`.
bool is_better(const LocalNi& a, const LocalNi& b, std::int32_t memory_cpt);
/// Adds the NIs of the net as candidates, of which `best` was chosen.
void explain_ni(const LocalNet& net, const LocalNi& best, std::int32_t memory_cpt,
                Explanation& why);

/// Step C: the NID of the peer, for a message that leaves by `ni`.
Rail* best_rail(PeerNet& net, const LocalNi& ni, Explanation* why);
/// The credits of the NID's peer NI: exact in its owner shard, elsewhere an upper bound. `of_net`:
/// the peer credits of the net.
std::int64_t credits_of(const PeerNid& nid, std::int32_t of_net);
/// The readiness of a gateway's NID; `known` null: this shard has no record of the NID.
Readiness readiness_of(const PeerNid* known, std::int32_t of_net);

}  // namespace ulnet::core
