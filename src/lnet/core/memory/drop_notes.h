// The drops of messages that one shard has logged within the last minute. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "lnet/base/time.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// Limits memory and log lines, since any node may write any source NID into a header: within
/// kQuiet at most kRemembered drops are logged, and further ones are only counted.
class DropNotes {
 public:
  static constexpr Duration kQuiet = std::chrono::minutes(1);
  static constexpr std::size_t kRemembered = 64;

  /// Whether this drop is to be logged: no drop of the same kind (`text`, static) and peer was
  /// logged for kQuiet.
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
