// On which of its nets other nodes can reach a router: they ping the router there, or the router
// pings them. In the control shard. Source: spec/multirail.md 9.5.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// To be called when the nets may have changed, or routing was turned on or off. Watches the nets
/// while this node routes, and none otherwise.
void configure_net_visits(Step& step);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NetVisited& in);
void on_visits_due(Step& step);
/// Handles the end or the time-out of a ping by which this router checks a net.
void net_ping_ended(Step& step, const Portal0Md& record);

}  // namespace ulnet::core
