// On which of its nets a router is reached: other nodes ping it there, or it pings them. In the
// control shard. Source: spec/multirail.md 9.5.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The nets, or whether this node routes, may be others.
void configure_net_visits(Step& step);
void on_letter(Step& step, std::uint32_t from, const letter::NetVisited& in);
void on_visits_due(Step& step);
/// A ping of this router has ended, or its time is over.
void net_ping_ended(Step& step, const Portal0Md& record);

}  // namespace ulnet::core
