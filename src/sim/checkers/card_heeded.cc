#include "sim/checkers/card_heeded.h"

#include "sim/kernel/world.h"

namespace ulnet::sim {

void CardHeeded::after_step(World& world, const ShardStep& step) {
  const auto request = own_request(step.input);
  if (!request) return;
  for (const core::Action& action : step.actions)
    if (const Nid* hop = hop_of(step, action, *request))
      look_at(world, step, request->target, *hop);
}

void CardHeeded::look_at(World& world, const ShardStep& step, const Nid& target, const Nid& hop) {
  const core::PeerNid* known = step.state.peers.find(target);
  if (known == nullptr || known->card == nullptr || !known->card->multi_rail) return;
  const std::vector<Nid>& nids = known->card->nids;
  if (std::find(nids.begin(), nids.end(), hop) == nids.end())
    violation(world, &step.node,
              "a message for " + target.to_string() + " goes to " + hop.to_string() +
                  ", which is not its peer's");
}

}  // namespace ulnet::sim
