// The NIs of this node that have lost a peer NI: their drivers have no connection to it any more,
// or could not send to it. Another NI of the same net may still reach it. Pure. Source:
// spec/multirail.md 8, 9.4.
#pragma once

#include <vector>

#include "lnet/base/time.h"
#include "lnet/core/path/ni.h"

namespace ulnet::core {

class Losses {
 public:
  /// Records that the NI has lost the peer NI. Id 0: an administrator reports the peer NI down for
  /// all NIs. False: the loss was known already.
  bool add(NiId by);
  /// The last time that a lost peer NI was tried again.
  Instant untried = {};
  /// Forgets all losses, because a message came from the peer NI.
  void clear() { by_.clear(); }
  /// Whether the peer NI is lost: each usable NI of its net has lost it. `net` null: this node is
  /// not on the net.
  bool by_all_of(const LocalNet* net) const;
  bool has(NiId by) const;
  /// An NI of the net that has not lost the peer NI and has no fatal error, preferably one that is
  /// up; null: no such NI.
  const LocalNi* spared(const LocalNet& net) const;
  bool empty() const { return by_.empty(); }

 private:
  std::vector<NiId> by_;
};

}  // namespace ulnet::core
