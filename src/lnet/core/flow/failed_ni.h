// What becomes of the messages of an NI of this node that has failed. Source:
// spec/multirail.md 3.2, 3.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The NI has failed: of the messages that wait for credits to leave by it, those that may leave by
/// another NI of the net, which can be used, join that one's queue, or keep their place in that of
/// their peer NI. So none passes another one that has waited longer for the same credit. Where the
/// net has no such NI, those that another net takes are selected a path for anew. Of those that the
/// driver has, it is asked for the ones that it has not begun, which are sent again.
void leave_failed_ni(Step& step, LocalNi& ni);

}  // namespace ulnet::core
