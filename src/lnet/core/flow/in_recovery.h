// Which NIs and peer NIs are in recovery: they enter it when their health falls, and leave it when
// their health is full. The control shard keeps the records of this node's NIs, the owner shard of
// a NID that of its peer NI. Each record has a timer; healthy NIs have no record. recovery.h sends
// the pings. Source: spec/multirail.md 5.2, 7.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the control shard: the health of the NI has changed.
void ni_health_changed(Step& step, LocalNi& ni);
/// In the owner shard: the health of the peer NI has changed. A peer NI that was never heard is not
/// pinged.
void peer_ni_health_changed(Step& step, PeerNi& ni);
/// A message came from the peer NI. It may be in recovery, or have left recovery because it was not
/// heard for too long.
void peer_ni_heard(Step& step, PeerNi& ni);

/// The peer has reported that this NI of it is up again: the pauses between recovery pings begin
/// anew. A ping that was sent while the NI was down will probably get no REPLY, so it ends when the
/// next one is due.
void ping_soon(Step& step, PeerNi& ni);

/// The input of next_of(). Empty if the NI is being removed, or this node shuts down.
std::optional<Standing> standing_of(const Step& step, const InRecovery& record);
void leave_recovery(InRecovery& record);
/// The NI or peer NI is removed or begins anew: its record is deleted.
template <class Ni>
void forget_recovery(ShardState& s, Ni& ni) {
  if (InRecovery* record = std::exchange(ni.recovery, nullptr)) s.recovering.erase(record->self);
}

/// What `debug recovery` shows of this shard.
void show_recovery(const Step& step, call::ShowRecovery& call);

}  // namespace ulnet::core
