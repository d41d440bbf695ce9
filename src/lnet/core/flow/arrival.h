// The arrival of a message: the checks of its header, and the end of its payload. Source:
// spec/core-semantics.md 6.3, 6.4, 7, 8.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

void header_arrived(Step& step, const HeaderArrived& in);
void payload_landed(Step& step, const PayloadLanded& in);

/// Goes on with an incoming message that a fault rule delayed, as if it arrived now. `msg` may be
/// gone afterwards.
void go_on_with_arrival(Step& step, Msg& msg);

}  // namespace ulnet::core
