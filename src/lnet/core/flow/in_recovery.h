// Which NIs and peer NIs are in recovery: they come into it when their health falls, and leave it
// when it is full. The control shard has those of this node's NIs, the home of a NID its peer NI;
// each has a timer there, all others cost nothing. recovery.h pings them. Source:
// spec/multirail.md 5.2, 7.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The health of the NI is another one. In the control shard.
void ni_health_changed(Step& step, LocalNi& ni);
/// The same of a peer NI, in its home. One of which nothing was ever heard is not pinged.
void peer_ni_health_changed(Step& step, PeerNi& ni);
/// A message came from the peer NI, which may be in recovery, or left it when nothing was heard.
void peer_ni_heard(Step& step, PeerNi& ni);

/// The peer has told that this NI of it is up again: the pauses between recovery pings begin anew.
/// The REPLY to a ping that was sent while the NI was down will probably not come, so that ping
/// ends when the next one is due.
void ping_soon(Step& step, PeerNi& ni);

/// What next_of() wants to know. Nothing: the NI is going, or this node is.
std::optional<Standing> standing_of(const Step& step, const InRecovery& record);
void leave_recovery(InRecovery& record);
/// The NI, or the peer NI, goes or begins anew: nothing of its recovery is kept.
template <class Ni>
void forget_recovery(ShardState& s, Ni& ni) {
  if (InRecovery* record = std::exchange(ni.recovery, nullptr)) s.recovering.erase(record->self);
}

/// What `debug recovery` shows of this shard.
void show_recovery(const Step& step, call::ShowRecovery& call);

}  // namespace ulnet::core
