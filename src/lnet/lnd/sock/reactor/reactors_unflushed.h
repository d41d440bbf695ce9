// Remembers, for one thread, to which reactors it has submitted something since its last flush().
// So flush() need not look at the others: a look at a reactor that another thread uses would fetch
// a cache line from that thread's core.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lnet/lnd/per_thread.h"

namespace ulnet::lnd::sock {

/// One object per thread, for all drivers of the process.
class Unflushed {
 public:
  static Unflushed& of_this_thread() { return per_thread<Unflushed>(); }

  void add(const void* driver, std::size_t reactor) {
    const Entry entry{driver, reactor};
    if (std::find(entries_.begin(), entries_.end(), entry) == entries_.end())
      entries_.push_back(entry);
  }
  /// Removes one entry of `driver` and sets `reactor`; false: `driver` has no entry. The entry may
  /// stem from an earlier driver at the same address, so `reactor` may be too large for this one.
  bool take(const void* driver, std::size_t& reactor) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.driver == driver; });
    if (found == entries_.end()) return false;
    reactor = found->reactor;
    *found = entries_.back();
    entries_.pop_back();
    return true;
  }

 private:
  struct Entry {
    const void* driver;
    std::size_t reactor;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries_;  // nearly always at most one
};

}  // namespace ulnet::lnd::sock
