// The info of a peer, from the REPLY to a ping or from a push, is taken over into the directory,
// compared, or refused. In the control shard. lnet/core/path/advertised_nids.h judges it. Source:
// spec/multirail.md 4.4, 4.6, 4.9.
#pragma once

#include "lnet/core/flow/step.h"
#include "lnet/core/path/push.h"

namespace ulnet::core {

struct TakenOver {
  int status = 0;  ///< 0, or why the info is refused
  /// The peer whose info it was. Null: the peer has turned discovery off, so it is to be deleted.
  Peer* peer = nullptr;
  /// The primary NID of another peer, if the info names that peer too, or that peer has sent a
  /// newer info; else any.
  Nid claimed = {};
};
/// Takes the info of a peer over into the directory, or refuses it. `source`: the NID of `peer`
/// from which the info came. `claimer`: as for judge() (advertised_nids.h). `peer` may be gone
/// afterwards.
TakenOver take_over(Step& step, Peer& peer, const PushReading& reading, const Nid& source,
                    const Nid& claimer = Nid::any());
/// Takes over only which of the peer's NIDs are up and which are down.
void take_over_statuses(Step& step, Peer& peer, const wire::PingInfo& info);
/// Updates the directory's entry of this node itself. Returns 0, or -ENOENT if this node has no
/// NIDs.
int take_over_own_info(Step& step, Peer& self);

}  // namespace ulnet::core
