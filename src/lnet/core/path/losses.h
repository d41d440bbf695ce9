// Which NIs of this node have lost a peer NI: their drivers have no connection to it any more, or
// could not send to it. Another NI of the same net may have it still. Pure. Source:
// spec/multirail.md 8, 9.4.
#pragma once

#include <vector>

#include "lnet/base/time.h"
#include "lnet/core/path/ni.h"

namespace ulnet::core {

class Losses {
 public:
  /// The NI has lost it; with id 0 whichever could have it, as an administrator says. False: that
  /// was known.
  bool add(NiId by);
  /// Since when nobody has tried whether it is still lost.
  Instant untried = {};
  /// It was heard of.
  void clear() { by_.clear(); }
  /// Whether it is lost: by each NI of its net that could have it. `net` null: this node is not on
  /// it.
  bool by_all_of(const LocalNet* net) const;
  bool has(NiId by) const;
  /// An NI of the net that has not lost it and has no fatal error, one that is up if there is one;
  /// null: there is none.
  const LocalNi* spared(const LocalNet& net) const;
  bool empty() const { return by_.empty(); }

 private:
  std::vector<NiId> by_;
};

}  // namespace ulnet::core
