// Moves the messages that wait on a failed NI to another NI or another path, and asks the driver to
// give back those that it has not begun. Source: spec/multirail.md 3.2, 3.4, decisions 76 and 96.
#include "lnet/core/flow/failed_ni.h"

#include <vector>

#include "lnet/core/flow/other_way.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

/// Moves a message that waits for a credit from its failed NI to another one.
void leave_by_another(Step& step, Msg& msg) {
  const bool stays = instead_of(*msg.ni, msg) != nullptr;
  if (stays) return take_another_ni(step, msg);
  if (!has_working_way(step, msg)) return;
  leave_queue(step, msg);
  go_another_way(step, msg);
}

}  // namespace

void leave_failed_ni(Step& step, LocalNi& ni) {
  std::vector<MsgTicket> leaving;
  for (const Msg& msg : ni.tx.queue())
    if (may_leave_by_another(step.s, msg)) leaving.push_back(msg.self);
  step.s.messages.for_each([&](Handle, const Msg& msg) {
    if (msg.ni != &ni || !may_leave_by_another(step.s, msg)) return;
    if (msg.state == MsgState::kPeerQueue) leaving.push_back(msg.self);
    // The driver gives back the messages that it has not begun. Those that it has begun end by
    // themselves.
    if (msg.state == MsgState::kSending && !msg.recovery &&
        (instead_of(ni, msg) != nullptr || has_working_way(step, msg)))
      step.out.emplace_back(std::in_place_type<Cancel>, Cancel{ni.config.id, msg.hop, msg.self});
  });
  for (const MsgTicket self : leaving) {
    Msg* const msg = step.s.find(self);  // an earlier one that left may have given it a credit
    if (msg != nullptr && waits_for_credit(*msg)) leave_by_another(step, *msg);
  }
}

}  // namespace ulnet::core
