#include "sim/checkers/best_path.h"

#include "core/flow/step.h"
#include "sim/kernel/world.h"

namespace ulnet::sim {

void BestPath::before_step(World&, const ShardStep& step) {
  healths_.clear();
  const auto begun = own_request(step.input);
  if (!begun || begun->target.is_loopback()) return;
  const core::PeerNid* target = step.state.peers.find(begun->target);
  if (target == nullptr || !target->multi_rail()) return;
  turns_ = step.state.nis.turns;
  for (const Nid& nid : target->card->nids) {
    const core::PeerNid* known = step.state.peers.find(nid);
    healths_[nid] = known == nullptr ? core::kHealthMax : known->health;
  }
}

void BestPath::after_step(World& world, const ShardStep& step) {
  if (healths_.empty()) return;
  const auto begun = own_request(step.input);
  for (const core::Action& action : step.actions)
    if (const Nid* hop = hop_of(step, action, *begun)) look_at(world, step, *hop);
}

void BestPath::look_at(World& world, const ShardStep& step, const Nid& hop) const {
  const auto chosen = healths_.find(hop);
  if (chosen == healths_.end()) return;  // "card heeded" looks at that
  for (const auto& [nid, health] : healths_)
    if (nid.net() == hop.net() && health > chosen->second)
      violation(world, &step.node,
                "a request goes to " + hop.to_string() + ", while " + nid.to_string() +
                    " has better health");
  if (step.state.nis.turns == turns_)
    violation(world, &step.node,
              "a path to " + hop.to_string() + " was chosen, and no turn passed");
}

}  // namespace ulnet::sim
