#include "sim/checkers/best_path.h"

#include "core/flow/step.h"
#include "sim/kernel/world.h"

namespace ulnet::sim {
namespace {

/// A fault rule has failed the message within this step, so it goes another way.
bool is_tried_again(const core::Msg* msg) { return msg != nullptr && msg->tries != 0; }

/// Where the action sends the request to; null if it sends something else.
const Nid* hop_of(const ShardStep& step, const core::Action& action, const OwnRequest& begun) {
  if (const auto* letter = letter_of<core::letter::Transmit>(action)) {
    const bool first = letter->md == begun.md && !is_tried_again(step.state.find(letter->msg));
    return first ? &letter->path.hop.nid : nullptr;
  }
  const auto* send = std::get_if<core::Send>(&action);
  const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
  const bool that =
      msg != nullptr && msg->md != nullptr && msg->md->handle == begun.md && !is_tried_again(msg);
  return that ? &send->hop.nid : nullptr;
}

}  // namespace

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
