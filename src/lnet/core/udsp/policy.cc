// Finds the priority and the preferences that the rules give to a net, an NI, a peer's net and a
// peer NI. Source: spec/multirail.md 10.1, 10.2.
#include "lnet/core/udsp/policy.h"

namespace ulnet::core::udsp {
namespace {

/// The priority given by the first rule whose only criterion is `only` and names `what`.
template <class Named>
std::uint32_t priority_of(const RuleList& rules, std::optional<Criterion> Rule::*only,
                          const Named& what) {
  for (const auto& [id, rule] : rules.entries())
    if (rule.criteria() == 1 && rule.*only && (rule.*only)->names(what))
      return rule.priority.value_or(kNoPriority);
  return kNoPriority;
}

/// Whether a rule names the peer NI in `dst`, and `other` in the criterion `with`.
bool pairs(const RuleList& rules, const Nid& peer_nid, std::optional<Criterion> Rule::*with,
           const Nid& other) {
  for (const auto& [id, rule] : rules.entries())
    if (rule.dst && rule.*with && rule.dst->covers(peer_nid) && (rule.*with)->covers(other))
      return true;
  return false;
}

}  // namespace

std::uint32_t priority_of_net(const RuleList& rules, NetId local_net) {
  return priority_of(rules, &Rule::src, local_net);
}
std::uint32_t priority_of_ni(const RuleList& rules, const Nid& local_nid) {
  return priority_of(rules, &Rule::src, local_nid);
}
std::uint32_t priority_of_peer_net(const RuleList& rules, NetId peer_net) {
  return priority_of(rules, &Rule::dst, peer_net);
}
std::uint32_t priority_of_peer_ni(const RuleList& rules, const Nid& peer_nid) {
  return priority_of(rules, &Rule::dst, peer_nid);
}

bool prefers_source(const RuleList& rules, const Nid& peer_nid, const Nid& local_nid) {
  return pairs(rules, peer_nid, &Rule::src, local_nid);
}
bool prefers_router(const RuleList& rules, const Nid& peer_nid, const Nid& gateway_primary) {
  return pairs(rules, peer_nid, &Rule::rte, gateway_primary);
}

bool prefers_some_router(const RuleList& rules, const Nid& peer_nid) {
  for (const auto& [id, rule] : rules.entries())
    if (rule.rte && rule.dst && rule.dst->covers(peer_nid)) return true;
  return false;
}

std::vector<Nid> preferred_sources(const RuleList& rules, const Nid& peer_nid,
                                   std::span<const Nid> local_nids) {
  std::vector<Nid> list;
  for (const Nid& nid : local_nids)
    if (prefers_source(rules, peer_nid, nid)) list.push_back(nid);
  return list;
}

}  // namespace ulnet::core::udsp
