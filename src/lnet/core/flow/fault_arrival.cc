// Holds an arriving message if a delay rule takes it. Source: spec/multirail.md 11.3.
#include "lnet/core/flow/fault_arrival.h"

#include "lnet/core/flow/faults.h"

namespace ulnet::core {

[[gnu::noinline]] bool delayed_by_fault(Step& step, const Arrival& a) {
  FaultVerdict verdict;
  if (!wants_delay(step, {a.header(), a.ni.nid(), false}, verdict)) return false;
  Msg& msg = make_incoming(step, a);
  delay(step, msg, verdict);
  msg.staged = true;
  step.out.emplace_back(std::in_place_type<HoldPayload>, HoldPayload{a.in.ni, a.in.rx, msg.self});
  return true;
}

}  // namespace ulnet::core
