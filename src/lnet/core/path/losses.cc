// Records which NIs of this node have lost a peer NI, and finds an NI that has not. Source:
// spec/multirail.md 8, 9.4.
#include "lnet/core/path/losses.h"

#include <algorithm>

namespace ulnet::core {

bool Losses::has(NiId by) const { return std::find(by_.begin(), by_.end(), by) != by_.end(); }

bool Losses::add(NiId by) {
  if (has(by)) return false;
  by_.push_back(by);
  return true;
}

const LocalNi* Losses::spared(const LocalNet& net) const {
  const LocalNi* found = nullptr;
  for (const LocalNi* ni : net.nis) {
    if (ni->fatal || has(ni->config.id)) continue;
    if (ni->up()) return ni;
    if (found == nullptr) found = ni;
  }
  return found;
}

bool Losses::by_all_of(const LocalNet* net) const {
  if (by_.empty()) return false;
  return net == nullptr || has(NiId{}) || spared(*net) == nullptr;
}

}  // namespace ulnet::core
