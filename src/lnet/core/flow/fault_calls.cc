// Adds and deletes fault rules, and sends delayed messages on when their time has come or their
// rule is deleted. Source: spec/multirail.md 11.3, 11.4.
#include "lnet/core/flow/fault_calls.h"

#include "lnet/base/limits.h"
#include "lnet/core/flow/arrival.h"
#include "lnet/core/flow/faults.h"
#include "lnet/core/flow/landing.h"
#include "lnet/core/flow/submit.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

void go_on(Step& step, const std::vector<MsgTicket>& messages) {
  for (const MsgTicket self : messages) {
    Msg* const msg = step.s.find(self);
    if (msg == nullptr || msg->state != MsgState::kDelayed) continue;  // it has ended meanwhile
    msg->outgoing ? give_to_driver(step, *msg) : go_on_with_arrival(step, *msg);
  }
  arm_fault_timer(step);
}

template <class T>
const T* pointer(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

}  // namespace

Check add_fault(Step& step, const call::FaultAdd& call) {
  FaultRules& rules = step.s.fault_rules;
  if (rules.size() >= limits::kFaultRules) return {-ENOSPC, "too many fault rules"};
  rules.add(call.rule, step.s.index, step.now);
  return {};
}

Check delete_faults(Step& step, call::FaultDel& call) {
  const std::vector<std::uint64_t> gone =
      step.s.fault_rules.del(call.kind, pointer(call.source), pointer(call.destination));
  call.gone = gone.size();
  if (gone.empty()) return {-ENOENT, "no such fault rule"};
  go_on(step, step.s.fault_holds.take(step.now, gone));
  return {};
}

void on_fault_timer(Step& step) { go_on(step, step.s.fault_holds.take(step.now)); }

void end_delayed(Step& step, const LocalNi& ni, DropReason reason) {
  std::vector<MsgTicket> delayed;
  step.s.messages.for_each([&](Handle, const Msg& msg) {
    if (msg.state == MsgState::kDelayed && msg.ni == &ni) delayed.push_back(msg.self);
  });
  for (const MsgTicket self : delayed) {
    Msg& msg = *step.s.find(self);
    if (msg.outgoing)
      end_transmission(step, msg, -ESHUTDOWN, Health::kOk);
    else
      drop_message(step, msg, reason);
  }
}

}  // namespace ulnet::core
