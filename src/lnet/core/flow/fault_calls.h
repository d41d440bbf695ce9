// Adding and deleting of fault rules, and messages that go on after a delay. Source:
// spec/multirail.md 11.3, 11.4.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/memory/memory_table.h"

namespace ulnet::core {

Check add_fault(Step& step, const call::FaultAdd& call);
/// Deletes fault rules. The messages that these rules delay go on in this step.
Check delete_faults(Step& step, call::FaultDel& call);
/// The timer has fired: goes on with the messages whose delay is over.
void on_fault_timer(Step& step);
/// Ends the delayed messages of the NI, because the NI is removed.
void end_delayed(Step& step, const LocalNi& ni, DropReason reason);

}  // namespace ulnet::core
