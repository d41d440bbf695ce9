// Which reactors a thread has submitted something to since it last flushed, so that flush() leaves
// the others alone: to look at one that another partition is busy with costs a cache line's way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lnd/per_thread.h"

namespace ulnet::lnd::sock {

/// Of one thread, for all drivers of the process.
class Unflushed {
 public:
  static Unflushed& of_this_thread() { return per_thread<Unflushed>(); }

  void add(const void* driver, std::size_t reactor) {
    const Entry entry{driver, reactor};
    if (std::find(entries_.begin(), entries_.end(), entry) == entries_.end())
      entries_.push_back(entry);
  }
  /// Takes one of the driver's out; false: there is none. It may be of an earlier driver at the
  /// same address, which had more reactors.
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
