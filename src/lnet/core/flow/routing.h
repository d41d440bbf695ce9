// Turning routing on and off. It is turned off gracefully, so that peers notice before messages are
// lost. Each shard does this for itself; the control shard notifies the peers. Source:
// spec/multirail.md 9.1, spec/core-semantics.md 10.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Turns routing on or off as the new configuration requests, and applies its routes.
void configure_routing(Step& step);
/// Turns routing on, or off, because the waiting time before that is over.
void on_routing_due(Step& step);
/// Ends a message that another shard forwards and this one transmits.
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Recall& in);

}  // namespace ulnet::core
