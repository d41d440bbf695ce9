// The pings of NIs and peer NIs in recovery (in_recovery.h). lnet/core/path/recovery.h decides when
// they are due. Source: spec/multirail.md 5.2, 7.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Pings an NI in recovery, or ends a ping of it, because its timer has fired.
void on_recovery_due(Step& step, InRecovery& record);
void recovery_ping_ended(Step& step, const Portal0Md& ping);

}  // namespace ulnet::core
