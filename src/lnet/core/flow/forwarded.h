// The end of a message that this node forwards: its buffer and its router credit go to the messages
// that wait for them. Source: spec/core-semantics.md 10.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Ends a message that was sent on, or could not be (`status` not 0). `msg` is gone afterwards.
void end_forwarding(Step& step, Msg& msg, int status);
/// Gives back the message's router credit and buffer, and forgets the message.
void leave_router(Step& step, Msg& msg);
/// A waiting message has got a router credit: it takes a buffer, or waits for one.
void with_router_credit(Step& step, Msg& msg);
/// A waiting message has got a buffer: it goes on in this step, by run_forwarding().
void with_buffer(Step& step, Msg& msg);

}  // namespace ulnet::core
