// Applies a configuration to the NIs and nets of a shard, and computes the distance to a NID.
// Source: spec/multirail.md 1, spec/core-semantics.md 2.3, 2.4, 10.1, 13.4.
#include "lnet/core/path/ni.h"

#include <algorithm>

#include "lnet/core/udsp/policy.h"

namespace ulnet::core {

constinit const LifeCycle<NiPhase, NiEvent> kNiLifeCycle = [] {
  using S = NiPhase;
  using E = NiEvent;
  return LifeCycle<NiPhase, NiEvent>({
      {S::kUp, E::kRemoved, S::kDraining},
      {S::kDraining, E::kIdle, S::kGone},
  });
}();

const char* to_string(NiPhase phase) {
  static constexpr const char* kNames[] = {"up", "draining", "gone"};
  return phase < NiPhase::kCount ? kNames[static_cast<std::size_t>(phase)] : "?";
}

const char* to_string(NiEvent event) {
  static constexpr const char* kNames[] = {"removed", "idle"};
  return event < NiEvent::kCount ? kNames[static_cast<std::size_t>(event)] : "?";
}

void LocalNet::look_at_links() {
  const bool failed = std::all_of(nis.begin(), nis.end(), [](const LocalNi* ni) {
    return ni->life_cycle == NiLifeState::kFailed;
  });
  on(failed ? NetLifeEvent::kAllFailed : NetLifeEvent::kOneWell);
}

LocalNi& NiTable::add(const NiConfig& config, std::uint32_t shards) {
  LocalNi& ni = *all_.emplace_back(std::make_unique<LocalNi>());
  ni.config = config;
  ni.on(NiLifeEvent::kAdded);
  if (!ni.loopback())
    ni.tx = Gate(credits_of_shard(config.tunables.credits, config.tunables.peer_credits, shards));
  if (by_id_.size() <= config.id.value) by_id_.resize(config.id.value + 1);
  by_id_[config.id.value] = &ni;
  return ni;
}

NiTable::Changes NiTable::apply(const NodeConfig& config) {
  ++version_;
  Changes changes;
  std::vector<LocalNi*> wanted;
  for (const NiConfig& ni_config : config.nis) {
    LocalNi* ni = find(ni_config.id);
    if (ni == nullptr) changes.added.push_back(ni = &add(ni_config, config.shards));
    ULNET_ASSERT(ni->phase == NiPhase::kUp);  // the node never reuses an NiId
    ni->config = ni_config;
    const std::int32_t credits =
        ni->loopback() ? 0
                       : credits_of_shard(ni_config.tunables.credits,
                                          ni_config.tunables.peer_credits, config.shards);
    if (credits != ni->tx.max()) {
      ni->tx.resize(credits);
      changes.resized.push_back(ni);
    }
    wanted.push_back(ni);
  }
  for (LocalNi* old : configured_) by_nid_.erase(old->nid());
  // rebuild_nets() sets `net` of every NI in the new configuration. An NI of the previous
  // configuration that has no net afterwards was removed.
  std::vector<LocalNi*> before = std::exchange(configured_, std::move(wanted));
  for (LocalNi* ni : before) ni->net = nullptr;
  rebuild_nets(changes);
  apply_policies(config, changes);
  apply_distances(config);
  for (LocalNi* ni : before) {
    if (ni->net != nullptr) continue;
    ni->on(NiEvent::kRemoved);
    ni->on(NiLifeEvent::kRemoved);
    changes.removed.push_back(ni);
  }
  return changes;
}

/// Applies the policies to new NIs and nets, or to all if the policies are new.
void NiTable::apply_policies(const NodeConfig& config, const Changes& changes) {
  const bool all = std::exchange(policies_, config.udsp) != config.udsp;
  for (LocalNi* ni : all ? configured_ : changes.added)
    ni->priority = udsp::priority_of_ni(*config.udsp, ni->nid());
  for (const auto& net : nets_)
    if (all || std::find(changes.nets.begin(), changes.nets.end(), net->id) != changes.nets.end())
      net->priority = udsp::priority_of_net(*config.udsp, net->id);
}

/// Sets the distances of the NIs' devices from memory (spec/core-semantics.md 13.4). An NI whose
/// device is at no partition gets the largest distance.
void NiTable::apply_distances(const NodeConfig& config) {
  const std::vector<std::uint32_t>& all = config.distances;
  ULNET_ASSERT(all.empty() || all.size() == std::size_t{config.shards} * config.shards);
  const auto range = static_cast<std::uint32_t>(std::max(config.globals.numa_range, 0));
  const std::uint32_t farthest = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  for (LocalNi* ni : configured_) {
    ni->distances.clear();
    if (all.empty() || ni->loopback()) continue;
    const auto device = static_cast<std::uint32_t>(ni->config.dev_cpt);
    for (std::uint32_t cpt = 0; cpt < config.shards; ++cpt) {
      const std::uint32_t distance =
          device < config.shards ? all[std::size_t{cpt} * config.shards + device] : farthest;
      ni->distances.push_back(std::max(distance, range));
    }
  }
}

void NiTable::rebuild_nets(Changes& changes) {
  std::vector<std::unique_ptr<LocalNet>> old = std::exchange(nets_, {});
  for (auto& net : old) by_net_.erase(net->id);
  HashIndex<NetId, LocalNet, NetHash> old_by_net;
  for (auto& net : old) old_by_net.insert(net->id, net.get());
  for (LocalNi* ni : configured_) {
    const NetId id = ni->nid().net();
    LocalNet* net = by_net_.find(id);
    if (net == nullptr) {
      net = nets_.emplace_back(std::make_unique<LocalNet>()).get();
      net->id = id;
      if (const LocalNet* was = old_by_net.find(id)) {
        net->sequence = was->sequence;
        net->priority = was->priority;
        net->life_cycle = was->life_cycle;
      } else {
        net->on(NetLifeEvent::kFirstNi);
      }
      by_net_.insert(id, net);
    }
    const std::int32_t credits = ni->config.tunables.peer_credits;
    net->peer_credits = net->nis.empty() ? credits : std::min(net->peer_credits, credits);
    net->nis.push_back(ni);
    ni->net = net;
    by_nid_.insert(ni->nid(), ni);
  }
  for (const auto& net : nets_) {
    net->look_at_links();
    const LocalNet* was = old_by_net.find(net->id);
    if (was == nullptr || was->peer_credits != net->peer_credits) changes.nets.push_back(net->id);
  }
}

void NiTable::erase(LocalNi& ni) {
  ULNET_ASSERT(ni.phase == NiPhase::kGone && ni.in_flight == 0);
  by_id_[ni.config.id.value] = nullptr;
  std::erase_if(all_, [&](const auto& held) { return held.get() == &ni; });
}

Result<Distance> distance(const NiTable& nis, const RouteList& routes, const Nid& target,
                          bool local_nid_dist_zero) {
  if (const LocalNi* own = nis.find(target))
    return Distance{local_nid_dist_zero ? 0 : 1, target, own->loopback() ? 0U : 1U};
  std::uint32_t order = 2;
  for (const LocalNi* ni : nis.configured()) {
    if (ni->nid().net() == target.net()) return Distance{1, ni->nid(), order};
    ++order;
  }
  const Route* best = nullptr;
  const auto there = routes.nets().find(target.net());
  if (there != routes.nets().end())
    for (const Route& route : there->second)
      if (nis.find(route.gateway.net()) != nullptr &&
          (best == nullptr || route.distance() < best->distance()))
        best = &route;
  if (best == nullptr) return fail(-EHOSTUNREACH, "no route");
  const LocalNi& ni = *nis.find(best->gateway.net())->nis.front();
  return Distance{best->distance() + 1, ni.nid(), order};
}

const LocalNi* nth_identity(const NiTable& nis, unsigned index, bool large_ok) {
  for (const LocalNi* ni : nis.configured()) {
    if (!large_ok && !ni->nid().is_small()) continue;
    if (index-- == 0) return ni;
  }
  return nullptr;
}

}  // namespace ulnet::core
