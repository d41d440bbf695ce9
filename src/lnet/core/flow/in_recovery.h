// Which NIs and peer NIs are in recovery: they enter it when their health falls, and leave it when
// their health is full. The control shard keeps the records of this node's NIs. The owner shard of
// a NID keeps the record of its peer NI. Each record has a timer; healthy NIs have no record.
// recovery.h sends the pings. Source: spec/multirail.md 5.2, 7.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the control shard: the health of the NI has changed, so the NI enters or leaves recovery if
/// needed.
void ni_health_changed(Step& step, LocalNi& ni);
/// In the owner shard: the health of the peer NI has changed, so the peer NI enters or leaves
/// recovery if needed. A peer NI that was never heard is not pinged.
void peer_ni_health_changed(Step& step, PeerNi& ni);
/// A message came from the peer NI: begins the count of its recovery pings anew. The peer NI enters
/// recovery again if its health is low and it had left recovery because it was not heard for too
/// long.
void peer_ni_heard(Step& step, PeerNi& ni);

/// Begins the pauses between recovery pings anew, because the peer has reported that this NI of it
/// is up again. A ping that was sent while the NI was down will probably get no REPLY, so it ends
/// when the next ping is due.
void ping_soon(Step& step, PeerNi& ni);

/// Returns the input of next_of(); nullopt if the NI is being removed, or this node shuts down.
std::optional<Standing> standing_of(const Step& step, const InRecovery& record);
void leave_recovery(InRecovery& record);
/// Deletes the record of an NI or peer NI that is removed or begins anew.
template <class Ni>
void forget_recovery(ShardState& s, Ni& ni) {
  if (InRecovery* record = std::exchange(ni.recovery, nullptr)) s.recovering.erase(record->self);
}

/// Fills in what `debug recovery` shows of this shard.
void show_recovery(const Step& step, call::ShowRecovery& call);

}  // namespace ulnet::core
