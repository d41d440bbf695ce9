#include "sim/checkers/card_heeded.h"

#include "sim/kernel/world.h"

namespace ulnet::sim {

void CardHeeded::after_step(World& world, const ShardStep& step) {
  const auto request = own_request(step.input);
  if (!request) return;
  const Nid& target = request->target;
  for (const core::Action& action : step.actions) {
    if (const auto* letter = letter_of<core::letter::Transmit>(action))
      look_at(world, step, target, letter->path.hop.nid);
    const auto* send = std::get_if<core::Send>(&action);
    const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
    if (msg != nullptr && msg->target == target && msg->tries == 0 && !msg->remote.msg)
      look_at(world, step, target, send->hop.nid);
  }
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
