// What a peer tells of itself, in the REPLY to a ping or in a push, is taken over into the
// directory, compared, or refused. In the control shard. lnet/core/path/told.h judges it. Source:
// spec/multirail.md 4.4, 4.6, 4.9.
#pragma once

#include "lnet/core/flow/step.h"
#include "lnet/core/path/push.h"

namespace ulnet::core {

struct TakenOver {
  int status = 0;  ///< or why it is not believed
  /// Whose info it was. Null: the peer has discovery no more, so it is to be deleted.
  Peer* peer = nullptr;
  /// The primary NID of another peer that the info has too, or that has told a newer info; or any.
  Nid claimed = {};
};
/// `source`: the NID of `peer` from which the info came. `claimer`: as judge() has it (told.h).
/// `peer` may be gone afterwards.
TakenOver take_over(Step& step, Peer& peer, const PushReading& reading, const Nid& source,
                    const Nid& claimer = Nid::any());
/// Takes over only which of the peer's NIDs are up and which are down.
void take_over_statuses(Step& step, Peer& peer, const wire::PingInfo& info);
/// The entry of this node itself is brought to what the node is now.
int take_over_own_info(Step& step, Peer& self);

}  // namespace ulnet::core
