// The arrival of a message: the checks of its header, and the end of its payload. Source:
// spec/core-semantics.md 6.3, 6.4, 7, 8.
#pragma once

#include "core/flow/step.h"

namespace ulnet::core {

void header_arrived(Step& step, const HeaderArrived& in);
void payload_landed(Step& step, const PayloadLanded& in);

}  // namespace ulnet::core
