// Whether a router is reached on each of its nets, which it tells its peers: they use no routes to
// a net on which it is not. Pure; in the control shard. Source: spec/multirail.md 9.5.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/ni.h"

namespace ulnet::core {

/// Other nodes visit a router by pinging it. Of a net without visits the router asks for itself:
/// a net on which nobody answers is down, one on which nobody is known is not. (Production takes
/// every net without visits down.)
/// The timer fires when a net has had no visit for too long.
struct NetVisits : ShardTimer {
  NetVisits() : ShardTimer(TimerKind::kNetVisits) {}

  struct Net {
    Instant due{};  ///< without a visit until then the router asks
    bool down = false;
    std::uint32_t asked = 0;  ///< pings that are out
    std::uint32_t turn = 0;   ///< with which of the peers there it begins to ask
    Instant visited = Instant::min();
  };

  bool is_down(NetId net) const {
    const auto found = nets.find(net);
    return found != nets.end() && found->second.down;
  }
  /// Watches these nets from now on, and no others. A net that is new is up.
  void watch(const NiTable& nis, Instant due);
  /// Another node has pinged this one on the net, or has answered. True: the net was down.
  bool visit(NetId net, Instant now, Instant due);
  /// Nobody has answered. True: the net was up.
  bool nobody(NetId net, Instant due);
  /// kNever: no net is watched.
  Instant next_due() const;

  std::map<NetId, Net> nets;
};

}  // namespace ulnet::core
