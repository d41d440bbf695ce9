// The failures that LNetFail simulates: the next messages to or from a NID fail. Source:
// spec/core-semantics.md 15.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ulnet/nid.hpp"

namespace ulnet::core {

class SimulatedFailures {
 public:
  /// From now on the next `threshold` messages to or from `nid` fail; NID any: to or from every
  /// NID. -1: all messages fail. 0: no more messages fail; with NID any this also removes the
  /// entries of all other NIDs.
  void set(const Nid& nid, std::int32_t threshold) {
    std::erase_if(entries_,
                  [&](const Entry& e) { return e.nid == nid || (nid.is_any() && threshold == 0); });
    if (threshold != 0) entries_.push_back({nid, threshold});
  }
  /// Whether a message to or from `nid` fails. If so, it counts for the threshold.
  bool hit(const Nid& nid) {
    if (entries_.empty()) return false;
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.nid.is_any() || e.nid == nid; });
    if (entry == entries_.end()) return false;
    if (entry->left > 0 && --entry->left == 0) entries_.erase(entry);
    return true;
  }

 private:
  struct Entry {
    Nid nid;
    std::int32_t left = 0;  ///< negative: for ever
  };
  std::vector<Entry> entries_;
};

}  // namespace ulnet::core
