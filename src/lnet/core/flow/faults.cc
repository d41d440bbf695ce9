// Asks the fault rules whether a message is lost, fails or is delayed, and runs the timer of the
// delayed messages. Source: spec/multirail.md 11.2, 11.3, spec/core-semantics.md 8.6, 8.11.
#include "lnet/core/flow/faults.h"

#include "lnet/base/limits.h"

namespace ulnet::core {

bool wants_delay(Step& step, const FaultQuestion& message, FaultVerdict& verdict) {
  if (step.s.fault_holds.size() >= limits::kFaultHeld) return false;
  verdict = step.s.fault_rules.delay(message, step.now);
  return verdict.what == FaultVerdict::What::kDelay;
}

void delay(Step& step, Msg& msg, const FaultVerdict& verdict) {
  msg.on(MsgEvent::kDelay);
  step.s.fault_holds.add(msg.self, step.now + verdict.latency, verdict.rule);
  arm_fault_timer(step);
}

[[gnu::noinline]] bool lost_by_fault(Step& step, const HeaderArrived& in, const LocalNi& ni) {
  const FaultQuestion message{*in.header, ni.nid(), false};
  return step.s.fault_rules.drop(message, step.now).what == FaultVerdict::What::kLose;
}

[[gnu::noinline]] bool stopped_by_fault(Step& step, Msg& msg) {
  const FaultQuestion message{msg.header, msg.ni->nid(), true};
  FaultVerdict verdict = step.s.fault_rules.drop(message, step.now);
  if (verdict.what == FaultVerdict::What::kPass) {
    if (!wants_delay(step, message, verdict)) return false;
    delay(step, msg, verdict);
    return true;
  }
  msg.on(MsgEvent::kFault);
  msg.fault = verdict.health;
  step.s.ready.push_back(msg);
  return true;
}

void arm_fault_timer(Step& step) {
  FaultHolds& holds = step.s.fault_holds;
  step.s.timers.arm(holds.timer, holds.next());
}

}  // namespace ulnet::core
