// Computes the shard in which a peer NI or an ME lives, from the CPTs of the NIs. Source:
// spec/core-semantics.md 3, 13.2.
#include "lnet/core/contract/placement.h"

#include <algorithm>

#include "lnet/core/contract/portal_type.h"
#include "lnet/cpt/table.h"

namespace ulnet::core {

Placement::Placement(const NodeConfig& config) : shards_(config.shards) {
  ULNET_ASSERT(shards_ > 0 && shards_ <= limits::kMaxCpts);
  if (shards_ == 1) return;
  for (const NiConfig& ni : config.nis) {
    if (ni.nid.is_loopback()) continue;
    const NetId net = ni.nid.net();
    const bool fixed = std::any_of(config.owners.begin(), config.owners.end(),
                                   [&](const NetOwners& owners) { return owners.net == net; });
    if (fixed) continue;
    auto bound = std::find_if(bound_.begin(), bound_.end(),
                              [&](const Bound& known) { return known.net == net; });
    if (bound == bound_.end()) bound = bound_.insert(bound_.end(), {net, {}});
    for (std::uint32_t cpt = 0; cpt < shards_; ++cpt) {
      const bool has =
          ni.cpts.empty() || std::find(ni.cpts.begin(), ni.cpts.end(), cpt) != ni.cpts.end();
      const auto at = std::lower_bound(bound->cpts.begin(), bound->cpts.end(), cpt);
      if (has && (at == bound->cpts.end() || *at != cpt)) bound->cpts.insert(at, cpt);
    }
  }
  for (const NetOwners& owners : config.owners)
    if (!owners.cpts.empty()) bound_.push_back({owners.net, owners.cpts});
  std::erase_if(bound_, [&](const Bound& net) { return net.cpts.size() == shards_; });
}

std::uint32_t Placement::by_hash(const Nid& nid) const {
  const NetId net = nid.net();
  for (const Bound& bound : bound_)
    if (bound.net == net) return cpt::cpt_of_nid(nid, bound.cpts);
  return cpt::cpt_of_nid(nid, shards_);
}

std::uint32_t Placement::of_entry(Portal portal, const ProcessId& match_id, MatchBits ignore,
                                  InsertPosition position, std::uint32_t caller) const {
  if (portal_type_of(match_id, ignore) == PortalType::kUnique) return of(match_id.nid);
  return position == InsertPosition::kLocal ? caller : owner_of(portal);
}

}  // namespace ulnet::core
