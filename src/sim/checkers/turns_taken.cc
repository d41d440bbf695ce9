#include "sim/checkers/turns_taken.h"

#include "sim/world/world.h"

namespace ulnet::sim {

TurnsTaken::Ratings TurnsTaken::rate(const ShardStep& step) {
  Ratings all;
  const auto request = own_request(step.input);
  if (!request || !step.state.config->udsp->entries().empty()) return all;
  const core::PeerNid* target = step.state.peers.find(request->target);
  if (target == nullptr || !target->multi_rail() || target->rails == nullptr) return all;
  for (const core::PeerNet& net : target->rails->nets) {
    const core::LocalNet* local = step.state.nis.find(net.id);
    if (local == nullptr) continue;
    Rated rated{net.rails.front().nid->nid, 0, 0, 0, net.sequence, target->rails->self};
    for (const core::Rail& rail : net.rails) rated.first = std::max(rated.first, rail.nid->health);
    for (const core::LocalNi* ni : local->nis) {
      if (!ni->fatal) rated.second = std::max(rated.second, ni->health);
      all.nis.push_back(
          {ni->nid(), ni->fatal ? 0 : 1, ni->health, ni->tx.credits(), ni->sequence, {}});
    }
    all.nets.push_back(rated);
  }
  return all;
}

void TurnsTaken::before_step(World&, const ShardStep& step) { before_ = rate(step); }

/// Counts that one of them was chosen. The others that were as good as `chosen` have waited for one
/// more request.
void TurnsTaken::look_at(World& world, const ShardStep& step, const std::vector<Rated>& before,
                         const std::vector<Rated>& after, const Rated& chosen,
                         std::map<Nid, Wait>& waits) const {
  for (const Rated& each : before) {
    if (each.nid == chosen.nid || !each.as_good_as(chosen)) continue;
    const auto now = std::ranges::find(after, each.nid, &Rated::nid);
    if (now == after.end() || now->sequence != each.sequence || !now->as_good_as(chosen)) continue;
    Wait& wait = waits[each.nid];
    const std::uint64_t generation = step.state.config->generation;
    if (wait.sequence != each.sequence || wait.generation != generation || wait.rails != each.rails)
      wait = {each.sequence, generation, each.rails, 0};
    if (++wait.passed >= before.size())
      violation(world, &step.node,
                each.nid.to_string() + " is passed over by " + std::to_string(wait.passed) +
                    " requests, and is no worse than the ones they took");
  }
}

void TurnsTaken::after_step(World& world, const ShardStep& step) {
  if (before_.nis.empty()) return;
  const auto request = own_request(step.input);
  if (!request) return;
  Record& record = records_.of(step.node, step.shard);
  for (const core::Action& action : step.actions) {
    const Nid* hop = hop_of(step, action, *request);
    if (hop == nullptr) continue;
    const core::LocalNi* ni = step.state.nis.find(ni_of(action));
    if (ni == nullptr) return;
    const Ratings after = rate(step);
    std::vector<Rated> of_net;
    for (const Rated& each : before_.nis)
      if (each.nid.net() == hop->net()) of_net.push_back(each);
    const auto by = std::ranges::find(of_net, ni->nid(), &Rated::nid);
    if (by != of_net.end()) look_at(world, step, of_net, after.nis, *by, record.nis);
    const auto net = std::ranges::find_if(
        before_.nets, [&](const Rated& each) { return each.nid.net() == hop->net(); });
    if (net != before_.nets.end())
      look_at(world, step, before_.nets, after.nets, *net, record.nets);
    return;
  }
}

}  // namespace ulnet::sim
