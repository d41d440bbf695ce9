// The drops of messages that one shard has logged within the last minute. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "lnet/base/time.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// Limits memory and log lines, since any node can write any source NID into a header. Within
/// kQuiet at most kRemembered drops are logged; further drops are only counted.
class DropNotes {
 public:
  static constexpr Duration kQuiet = std::chrono::minutes(1);
  static constexpr std::size_t kRemembered = 64;

  /// Whether to log this drop. False if within kQuiet a drop of the same kind and peer was logged,
  /// or kRemembered drops were. `text` names the kind and must be static.
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
