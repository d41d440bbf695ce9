// How often the same kind of event from the same source is logged: the first one at once, then one
// per interval, which doubles from kFirst to kMax as long as such events go on. Events that are
// not logged are counted. Memory is bounded: when too many sources are reported at a time, events
// of further sources are not logged. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/lnd/report.h"

namespace ulnet::node {

class LogLimit {
 public:
  static constexpr Duration kFirst = std::chrono::minutes(1);  ///< the first interval
  static constexpr Duration kMax = std::chrono::hours(1);
  static constexpr std::size_t kRemembered = 256;

  struct Admitted {
    std::uint64_t left_out = 0;  ///< events with this key since the last one logged
    bool last = false;           ///< no further source is logged for a while
  };
  /// Counts an event. Nothing: do not log it.
  std::optional<Admitted> admit(const lnd::RepeatKey& key, Instant now);

 private:
  struct Entry {
    lnd::RepeatKey key;
    Instant until;
    Duration length;
    std::uint64_t left_out = 0;
  };
  std::vector<Entry> entries_;  ///< in the order of their first appearance
};

}  // namespace ulnet::node
