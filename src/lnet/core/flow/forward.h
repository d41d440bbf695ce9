// A router's work: a message for another node comes in over one net, waits in a buffer, and leaves
// over another. The shard where it came in owns its record, its buffer and the router credit of the
// peer NI that it came from, until its second leg has ended; the shard of the next hop transmits
// it. Nothing of the message changes on the way. While it waits for a credit or a buffer its driver
// reads no more from that connection. Source: spec/core-semantics.md 8, 10.3,
// spec/multirail.md 9.7.
#pragma once

#include "lnet/core/flow/landing.h"

namespace ulnet::core {

/// Takes over the message that arrives.
void forward(Step& step, const Arrival& a);
/// Its payload is in its buffer, or will not come (`status` not 0). `msg` may be gone afterwards.
void forward_landed(Step& step, Msg& msg, int status, Health health);
/// Whether it waits for a router credit or a buffer.
bool waits_to_be_forwarded(const Msg& msg);
/// Drops a message that waits so. `msg` is gone afterwards.
void drop_forwarding(Step& step, Msg& msg, DropReason reason);
/// Drops those that wait so and came in on this NI; null: on any.
void drop_waiting_forwards(Step& step, const LocalNi* ni, DropReason reason);
/// Goes on with those that have got a router credit or a buffer in this step.
void run_forwarding(Step& step);
/// Gives pools and peer NIs their numbers, which may be others now: none while nothing is
/// forwarded.
void resize_router(Step& step);

}  // namespace ulnet::core
