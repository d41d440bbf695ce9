// Routing is turned on and off: gracefully, so that peers notice before messages are lost. Each
// shard does it for itself; the control shard tells the peers. Source: spec/multirail.md 9.1,
// spec/core-semantics.md 10.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The configuration is new.
void configure_routing(Step& step);
/// Routing has started, or stopped: its time is over.
void on_routing_due(Step& step);
/// A message that another shard forwards by this one is to end.
void on_letter(Step& step, std::uint32_t from, const letter::Recall& in);

}  // namespace ulnet::core
