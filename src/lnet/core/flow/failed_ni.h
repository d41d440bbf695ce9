// What happens to the messages of an NI of this node that has failed. Source: spec/multirail.md
// 3.2, 3.4.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// To be called when the NI has failed. The messages that wait for its credits move to another
/// usable NI of the net, unless they have to leave by this one: they join the queue of the other
/// NI, or keep their place in the queue of their peer NI. So no message passes another one that has
/// waited longer for the same credit. If the net has no such NI, a new path is selected for the
/// messages that can take another net. The driver is asked to give back the messages that it has
/// not begun, and these are sent again.
void leave_failed_ni(Step& step, LocalNi& ni);

}  // namespace ulnet::core
