// On a router: whether other nodes reach it on each of its nets. The router advertises that to its
// peers, which use no routes to a net where it is not reached. Pure; in the control shard. Source:
// spec/multirail.md 9.5.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/ni.h"

namespace ulnet::core {

/// A visit is a ping from another node. On a net without visits the router itself pings peers: the
/// net is down if no peer answers, and stays up if no peer is known there. (Production takes every
/// net without visits down.) The timer fires when a net has had no visit for too long.
struct NetVisits : ShardTimer {
  NetVisits() : ShardTimer(TimerKind::kNetVisits) {}

  struct Net {
    Instant due{};  ///< if no visit comes until then, the router pings
    bool down = false;
    std::uint32_t asked = 0;  ///< pings under way
    std::uint32_t turn = 0;   ///< the index of the peer that it pings first
    Instant visited = Instant::min();
  };

  bool is_down(NetId net) const {
    const auto found = nets.find(net);
    return found != nets.end() && found->second.down;
  }
  /// Watches the nets of `nis` from now on, and no others. A new net is up.
  void watch(const NiTable& nis, Instant due);
  /// Records that another node has pinged this node on the net, or has answered a ping of this
  /// node. Returns whether the net was down.
  bool visit(NetId net, Instant now, Instant due);
  /// Records that no peer on the net has answered. Returns whether the net was up.
  bool nobody(NetId net, Instant due);
  /// The earliest `due` of the nets; kNever: no net is watched.
  Instant next_due() const;

  std::map<NetId, Net> nets;
};

}  // namespace ulnet::core
