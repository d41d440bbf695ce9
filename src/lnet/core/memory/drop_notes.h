// Which drops of messages the log was told of within the last minute, in one shard. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "lnet/base/time.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// Memory and lines are bounded, since anybody may write any source NID into a header: within
/// kQuiet at most kRemembered drops are told of, and further ones are only counted.
class DropNotes {
 public:
  static constexpr Duration kQuiet = std::chrono::minutes(1);
  static constexpr std::size_t kRemembered = 64;

  /// Whether the log is to be told of this drop: it was not told of one of the same kind (`text`,
  /// static) and peer for kQuiet.
  bool admit(const char* text, const Nid& peer, Instant now);

 private:
  struct Entry {
    const char* text;
    Nid peer;
    Instant until;
  };
  std::vector<Entry> entries_;
};

}  // namespace ulnet::core
