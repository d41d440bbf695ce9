#include "core/path/select.h"

#include <algorithm>

#include "base/canary.h"
#include "core/udsp/policy.h"

namespace ulnet::core {

namespace {

Choice no(int status, const char* reason) {
  Choice choice;
  choice.status = status;
  choice.reason = reason;
  return choice;
}

Choice direct(LocalNi* ni, const Nid& target, Pid pid) {
  Choice choice;
  choice.ni = ni;
  choice.hop = {target, pid};
  return choice;
}

/// Which of two candidates is to be preferred, and the term that says so.
struct Verdict {
  bool better = false;
  Term by = Term::kFirst;
};
/// The terms of a step, one after the other: each decides unless it is equal for both.
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
  Verdict verdict() const { return verdict_; }

 private:
  void decide(bool better, Term by) {
    verdict_ = {better, by};
    decided_ = true;
  }
  Verdict verdict_;
  bool decided_ = false;
};

// ---- step B: the NI

Verdict compare(const LocalNi& a, const LocalNi& b, std::int32_t memory_cpt) {
  return Terms()
      .lower(Term::kFatal, a.fatal, b.fatal)
      .higher(Term::kHealth, a.health, b.health)
      .lower(Term::kPriority, a.priority, b.priority)
      .lower(Term::kDistance, a.distance_from(memory_cpt), b.distance_from(memory_cpt))
      .higher(Term::kCredits, a.tx.credits(), b.tx.credits())
      .lower(Term::kTurn, a.sequence, b.sequence)
      .verdict();
}

Candidate describe(const LocalNi& ni, std::int32_t memory_cpt) {
  Candidate shown;
  shown.kind = Candidate::Kind::kNi;
  shown.nid = ni.nid();
  shown.fatal = ni.fatal;
  shown.health = ni.health;
  shown.priority = ni.priority;
  shown.distance = ni.distance_from(memory_cpt);
  shown.credits = ni.tx.credits();
  shown.turn = ni.sequence;
  return shown;
}

// ---- step C: the peer NI

/// What a message to this NID can have at most: exact where it has its home.
std::int64_t credits_of(const Rail& rail, std::int32_t of_net) {
  return rail.nid->ni != nullptr ? rail.nid->ni->tx.credits() : of_net - rail.nid->elsewhere;
}

bool prefers(const Rail& rail, const LocalNi& ni) {
  const std::vector<NiId>& list = rail.preferred;
  return !list.empty() && std::find(list.begin(), list.end(), ni.config.id) != list.end();
}

Verdict compare(const Rail& a, const Rail& b, const LocalNi& ni) {
  const std::int32_t of_net = ni.net->peer_credits;
  const bool blind = ULNET_CANARY(kPeerHealthIgnored);
  return Terms()
      .higher(Term::kHealth, blind ? 0 : a.nid->health, blind ? 0 : b.nid->health)
      .lower(Term::kPriority, a.priority, b.priority)
      .higher(Term::kPreferred, prefers(a, ni), prefers(b, ni))
      .higher(Term::kCredits, credits_of(a, of_net), credits_of(b, of_net))
      .lower(Term::kTurn, a.sequence, b.sequence)
      .verdict();
}

Candidate describe(const Rail& rail, const LocalNi& ni) {
  Candidate shown;
  shown.kind = Candidate::Kind::kPeerNi;
  shown.nid = rail.nid->nid;
  shown.health = rail.nid->health;
  shown.priority = rail.priority;
  shown.preferred = prefers(rail, ni);
  shown.credits = credits_of(rail, ni.net->peer_credits);
  shown.turn = rail.sequence;
  return shown;
}

// ---- step A: the net

/// A net that this node and the peer are on.
struct CommonNet {
  PeerNet* peer = nullptr;
  LocalNet* local = nullptr;
  std::int32_t peer_health = 0, local_health = 0;
};

CommonNet common(PeerNet& peer, LocalNet& local) {
  CommonNet net{&peer, &local};
  for (const Rail& rail : peer.rails) net.peer_health = std::max(net.peer_health, rail.nid->health);
  for (const LocalNi* ni : local.nis) net.local_health = std::max(net.local_health, ni->health);
  return net;
}

Verdict compare(const CommonNet& a, const CommonNet& b) {
  return Terms()
      .higher(Term::kHealth, a.peer_health, b.peer_health)
      .lower(Term::kPriority, a.peer->priority, b.peer->priority)
      .higher(Term::kNetHealth, a.local_health, b.local_health)
      .lower(Term::kNetPriority, a.local->priority, b.local->priority)
      .lower(Term::kTurn, a.peer->sequence, b.peer->sequence)
      .lower(Term::kNetTurn, a.local->sequence, b.local->sequence)
      .verdict();
}

Candidate describe(const CommonNet& net) {
  Candidate shown;
  shown.kind = Candidate::Kind::kNet;
  shown.net = net.local->id;
  shown.health = net.peer_health;
  shown.net_health = net.local_health;
  shown.priority = net.peer->priority;
  shown.net_priority = net.local->priority;
  shown.turn = net.peer->sequence;
  shown.net_turn = net.local->sequence;
  return shown;
}

/// The net for a message to a peer; `peer` null: there is none.
CommonNet best_net(const NiTable& nis, Rails& rails, Explanation* why) {
  CommonNet best;
  for (PeerNet& net : rails.nets) {
    LocalNet* const local = nis.find(net.id);
    if (local == nullptr) continue;
    // Whoever has one net in common has no need of its health.
    if (rails.nets.size() == 1 && why == nullptr) return {&net, local};
    const CommonNet candidate = common(net, *local);
    if (best.peer == nullptr || compare(candidate, best).better) best = candidate;
  }
  if (why == nullptr) return best;
  for (PeerNet& net : rails.nets) {
    LocalNet* const local = nis.find(net.id);
    if (local == nullptr) continue;
    const CommonNet candidate = common(net, *local);
    Candidate shown = describe(candidate);
    shown.chosen = candidate.peer == best.peer;
    shown.lost_by = compare(best, candidate).by;
    why->candidates.push_back(shown);
  }
  return best;
}

void explain_ni(const LocalNet& net, const LocalNi& best, std::int32_t memory_cpt,
                Explanation& why) {
  for (const LocalNi* ni : net.nis) {
    Candidate shown = describe(*ni, memory_cpt);
    shown.chosen = ni == &best;
    shown.lost_by = compare(best, *ni, memory_cpt).by;
    why.candidates.push_back(shown);
  }
}

Rail* best_rail(PeerNet& net, const LocalNi& ni, Explanation* why) {
  Rail* best = &net.rails.front();
  for (std::size_t i = 1; i < net.rails.size(); ++i)
    if (compare(net.rails[i], *best, ni).better) best = &net.rails[i];
  if (why == nullptr) return best;
  for (const Rail& rail : net.rails) {
    Candidate shown = describe(rail, ni);
    shown.chosen = &rail == best;
    shown.lost_by = compare(*best, rail, ni).by;
    why->candidates.push_back(shown);
  }
  return best;
}

// ---- the rows of 3.1

/// Whether the peer shall always see the same NI of this node (3.4).
bool wants_fixed_source(const SendIntent& intent) {
  return !intent.internal && (intent.peer == nullptr || !intent.peer->multi_rail());
}

Choice from_source(const NiTable& nis, const SendIntent& intent) {
  LocalNi* ni = nis.find(intent.source);
  if (ni == nullptr) return no(-EINVAL, "src is not a local nid");
  if (ni->nid().net() != intent.target.net()) return no(-EHOSTUNREACH, "no route");
  return direct(ni, intent.target, intent.target_pid);
}

Choice by_any_rail(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  const CommonNet net = best_net(nis, *intent.rails, why);
  if (net.peer == nullptr) return no(-EHOSTUNREACH, "no route");
  LocalNi* const ni = best_of(*net.local, intent.memory_cpt);
  if (why != nullptr) explain_ni(*net.local, *ni, intent.memory_cpt, *why);
  Rail* const rail = best_rail(*net.peer, *ni, why);
  Choice choice = direct(ni, rail->nid->nid, intent.target_pid);
  choice.in_turn = true;
  choice.rail = rail;
  return choice;
}

Choice to_this_nid(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  const LocalNet* net = nis.find(intent.target.net());
  if (net == nullptr) return no(-EHOSTUNREACH, "no route");
  if (wants_fixed_source(intent)) return direct(nullptr, intent.target, intent.target_pid);
  Choice choice = direct(best_of(*net, intent.memory_cpt), intent.target, intent.target_pid);
  if (why != nullptr) explain_ni(*net, *choice.ni, intent.memory_cpt, *why);
  choice.in_turn = true;
  return choice;
}

/// The row of 3.1, in words.
const char* way_of(const SendIntent& intent) {
  if (intent.target.is_loopback()) return "the target is this node: 0@lo";
  if (!intent.source.is_any()) return "the source is given: that NI, and the NID as given";
  if (intent.rails != nullptr) return "multi-rail peer: any of its NIDs by any NI";
  if (wants_fixed_source(intent)) return "peer without multi-rail: it always sees the same NI";
  return "the NID as given, by the best NI of its net";
}

}  // namespace

LocalNi* best_of(const LocalNet& net, std::int32_t memory_cpt) {
  LocalNi* best = net.nis.front();
  for (std::size_t i = 1; i < net.nis.size(); ++i)
    if (compare(*net.nis[i], *best, memory_cpt).better) best = net.nis[i];
  return best;
}

Choice select(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  if (nis.configured().empty()) return no(-ESHUTDOWN, "not running");
  if (why != nullptr) why->way = way_of(intent);
  if (intent.target.is_loopback()) {
    LocalNi* lo = nis.loopback();
    return lo == nullptr ? no(-ESHUTDOWN, "not running")
                         : direct(lo, Nid::loopback(), intent.target_pid);
  }
  if (!intent.source.is_any()) return from_source(nis, intent);
  return intent.rails != nullptr ? by_any_rail(nis, intent, why) : to_this_nid(nis, intent, why);
}

void take_turn(NiTable& nis, const Choice& choice) {
  if (!choice.in_turn || ULNET_CANARY(kPathTurnStands)) return;
  choice.ni->sequence = choice.ni->net->sequence = ++nis.turns;
  if (choice.rail == nullptr) return;
  PeerNet& net = *choice.rail->net;
  choice.rail->sequence = net.sequence = ++net.of->sequence;
}

namespace {

/// The best one of those that a policy prefers for the NID; null: there is none.
[[gnu::noinline]] LocalNi* best_preferred(const LocalNet& net, const udsp::RuleList& rules,
                                          const Nid& nid, std::int32_t memory_cpt) {
  LocalNi* best = nullptr;
  for (LocalNi* ni : net.nis) {
    if (!udsp::prefers_source(rules, nid, ni->nid())) continue;
    if (best == nullptr || compare(*ni, *best, memory_cpt).better) best = ni;
  }
  return best;
}

}  // namespace

Choice pick_source(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed,
                   std::int32_t memory_cpt, Explanation* why) {
  Choice choice;
  if (fixed.value != 0) {
    choice.ni = nis.find(fixed);
    if (choice.ni != nullptr && choice.ni->phase == NiPhase::kUp) {
      if (why != nullptr) why->way = "peer without multi-rail: it sees the NI that it saw before";
      return choice;
    }
  }
  const LocalNet* net = nis.find(nid.net());
  choice.ni = nullptr;
  choice.in_turn = true;
  if (net == nullptr) return choice;
  if (!rules.entries().empty()) choice.ni = best_preferred(*net, rules, nid, memory_cpt);
  if (choice.ni != nullptr) {
    if (why != nullptr) why->way = "peer without multi-rail: a policy prefers this NI for it";
    return choice;
  }
  choice.ni = best_of(*net, memory_cpt);
  if (why != nullptr) explain_ni(*net, *choice.ni, memory_cpt, *why);
  return choice;
}

bool is_outdone(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed) {
  const LocalNet* net = nis.find(nid.net());
  if (net == nullptr || fixed.value == 0) return false;
  bool others = false;
  for (const LocalNi* ni : net->nis) {
    if (!udsp::prefers_source(rules, nid, ni->nid())) continue;
    if (ni->config.id == fixed) return false;
    others = true;
  }
  return others;
}

}  // namespace ulnet::core
