// Forwarding in a router: a message for another node comes in over one net, waits in a buffer, and
// leaves over another net. The shard where it came in owns its record, its buffer and the router
// credit of the peer NI that it came from, until its second leg has ended. The shard of the next
// hop transmits it. The message itself is not changed. While it waits for a credit or a buffer, its
// driver reads no more from that connection. Source: spec/core-semantics.md 8, 10.3,
// spec/multirail.md 9.7.
#pragma once

#include "lnet/core/flow/landing.h"

namespace ulnet::core {

/// Takes a message that arrives and is for another node.
void forward(Step& step, const Arrival& a);
/// Goes on with a message whose payload is in its buffer, or will not come (`status` not 0). `msg`
/// may be gone afterwards.
void forward_landed(Step& step, Msg& msg, int status, Health health);
/// Whether the message waits for a router credit or a buffer.
bool waits_to_be_forwarded(const Msg& msg);
/// Drops a message that waits for a router credit or a buffer. `msg` is gone afterwards.
void drop_forwarding(Step& step, Msg& msg, DropReason reason);
/// Drops all messages that wait for a router credit or a buffer and came in on this NI; null: on
/// any NI.
void drop_waiting_forwards(Step& step, const LocalNi* ni, DropReason reason);
/// Goes on with the messages that have got a router credit or a buffer in this step.
void run_forwarding(Step& step);
/// Sets the sizes of the buffer pools and the router credits of peer NIs, as configured. The pools
/// have no buffers while nothing is forwarded.
void resize_router(Step& step);

}  // namespace ulnet::core
