// Compares nets, NIs and NIDs of a peer term by term, and finds the best ones. Source:
// spec/multirail.md 3.2.
#include "lnet/core/path/select_steps.h"

#include <algorithm>

#include "lnet/core/udsp/policy.h"

namespace ulnet::core {

namespace {

// ---- step B: the NI

Comparison compare(const LocalNi& a, const LocalNi& b, std::int32_t memory_cpt) {
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

bool prefers(const Rail& rail, const LocalNi& ni) {
  const std::vector<NiId>& list = rail.preferred;
  return !list.empty() && std::find(list.begin(), list.end(), ni.config.id) != list.end();
}

Comparison compare(const Rail& a, const Rail& b, const LocalNi& ni) {
  const std::int32_t of_net = ni.net->peer_credits;
  return Terms()
      .higher(Term::kHealth, a.nid->health, b.nid->health)
      .lower(Term::kPriority, a.priority, b.priority)
      .higher(Term::kPreferred, prefers(a, ni), prefers(b, ni))
      .higher(Term::kCredits, credits_of(*a.nid, of_net), credits_of(*b.nid, of_net))
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
  shown.credits = credits_of(*rail.nid, ni.net->peer_credits);
  shown.turn = rail.sequence;
  return shown;
}

// ---- step A: the net

CommonNet common(PeerNet& peer, LocalNet& local) {
  CommonNet net{&peer, &local};
  for (const Rail& rail : peer.rails) net.peer_health = std::max(net.peer_health, rail.nid->health);
  for (const LocalNi* ni : local.nis)
    if (!ni->fatal) net.local_health = std::max(net.local_health, ni->health);
  return net;
}

Comparison compare(const CommonNet& a, const CommonNet& b) {
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

}  // namespace

bool is_better(const LocalNi& a, const LocalNi& b, std::int32_t memory_cpt) {
  return compare(a, b, memory_cpt).better;
}

std::int64_t credits_of(const PeerNid& nid, std::int32_t of_net) {
  return nid.ni != nullptr ? nid.ni->tx.credits() : of_net - nid.elsewhere;
}

Readiness readiness_of(const PeerNid* known, std::int32_t of_net) {
  if (known == nullptr) return {kHealthMax, 0, of_net};
  return {known->health, known->ni == nullptr ? 0 : known->ni->queued_bytes,
          credits_of(*known, of_net)};
}

CommonNet best_net(const NiTable& nis, Rails& rails, const LocalNet* only, Explanation* why) {
  CommonNet best;
  for (PeerNet& net : rails.nets) {
    LocalNet* const local = nis.find(net.id);
    if (local == nullptr || (only != nullptr && local != only)) continue;
    // With a single net no comparison by health is needed.
    if (rails.nets.size() == 1 && why == nullptr) return {&net, local};
    const CommonNet candidate = common(net, *local);
    if (best.peer == nullptr || compare(candidate, best).better) best = candidate;
  }
  if (why == nullptr) return best;
  for (PeerNet& net : rails.nets) {
    LocalNet* const local = nis.find(net.id);
    if (local == nullptr || (only != nullptr && local != only)) continue;
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

LocalNi* best_of(const LocalNet& net, std::int32_t memory_cpt) {
  LocalNi* best = net.nis.front();
  for (std::size_t i = 1; i < net.nis.size(); ++i)
    if (compare(*net.nis[i], *best, memory_cpt).better) best = net.nis[i];
  return best;
}

}  // namespace ulnet::core
