// LNet's own use of portal 0, in the control shard: the buffer that pings read (ping target), the
// buffer that takes pushes (push target), and the pings and pushes that this node sends. Their MDs
// are attached and bound like those of users, but the shard itself handles the events. Source:
// spec/core-semantics.md 14, spec/wire-lnet.md 4, 5, 6.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// To be called when the configuration or the status of an NI may have changed. If this node's info
/// is another one now, the control shard attaches a new ping target. The info gets a new sequence
/// number if its NIDs have changed (wire-lnet.md 4.2).
void refresh_node_info(Step& step);
/// Handles the oldest event of the shard's own MDs that this step has queued. Returns false if
/// there is no event. Only Shard::step() calls it, between other work, so that the delivery of one
/// event is never inside another.
bool handle_portal0_event(Step& step);
/// Begins a ping of the API. The ping ends with Done{ticket} in the caller's shard, at the latest
/// after request.timeout.
void start_user_ping(Step& step, const call::Ping& call);
/// Posts the Done of a call of this shard's callers.
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::CallEnded& in);
/// The timer of a ping has fired: the ping ends with -ETIMEDOUT, although a driver may still have
/// the GET or read its REPLY. Its MD is unlinked then, and is removed when the driver is done.
void on_ping_timeout(Step& step, const Portal0Md& record);
/// For Shutdown: unlinks the MDs of all pings, pushes and targets.
void stop_portal0(Step& step);

}  // namespace ulnet::core
