// Messages that a delay rule holds when they arrive. They go on in a later step, whose input is a
// tick or the deletion of the rule; several may go on in one step. Source: spec/multirail.md 11.3.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

/// The ticket by which a delay rule holds the message that arrived in this step; null: no rule
/// holds it.
inline const core::MsgTicket* delayed_in(const ShardStep& step) {
  if (!std::holds_alternative<core::HeaderArrived>(step.input)) return nullptr;
  for (const core::Action& action : step.actions) {
    const auto* hold = std::get_if<core::HoldPayload>(&action);
    const core::Msg* msg = hold == nullptr ? nullptr : step.state.find(hold->msg);
    if (msg != nullptr && msg->state == core::MsgState::kDelayed) return &hold->msg;
  }
  return nullptr;
}

/// The delayed arrivals of a shard.
class DelayedArrivals {
 public:
  /// Call it after each step. True: held messages have gone on in this step, or have ended.
  bool look(const ShardStep& step) {
    const bool go_on = std::erase_if(held_, [&](const core::MsgTicket& ticket) {
                         const core::Msg* msg = step.state.find(ticket);
                         const bool held = msg != nullptr && !msg->outgoing &&
                                           msg->state == core::MsgState::kDelayed;
                         return !held;
                       }) != 0;
    if (const core::MsgTicket* held = delayed_in(step)) held_.push_back(*held);
    return go_on;
  }

 private:
  std::vector<core::MsgTicket> held_;
};

}  // namespace ulnet::sim
