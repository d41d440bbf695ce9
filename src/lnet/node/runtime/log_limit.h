// How often the same kind of event of the same address is logged: the first one at once, then one
// per interval, which doubles from kFirst to kMax as long as such events go on. Events that are
// not logged are counted. Memory is bounded: when too many addresses are reported at a time, events
// of further addresses are not logged. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/lnd/sock/engine/report.h"

namespace ulnet::node {

class LogLimit {
 public:
  static constexpr Duration kFirst = std::chrono::minutes(1);  ///< the first interval
  static constexpr Duration kMax = std::chrono::hours(1);
  static constexpr std::size_t kRemembered = 256;

  struct Admitted {
    std::uint64_t left_out = 0;  ///< events of this kind and address since the last one logged
    bool last = false;           ///< no further address is logged for a while
  };
  /// Counts an event. Nothing: do not log it.
  std::optional<Admitted> admit(lnd::sock::Count what, const lnd::sock::Address& address,
                                Instant now);

 private:
  struct Entry {
    lnd::sock::Count what;
    lnd::sock::Address address;
    Instant until;
    Duration length;
    std::uint64_t left_out = 0;
  };
  std::vector<Entry> entries_;  ///< in the order of their first appearance
};

}  // namespace ulnet::node
