// How often the same thing about the same address is logged: at once, then once in a while that
// doubles as long as it goes on. What is not logged is counted. Bounded: when too many addresses
// are reported at a time, further ones are not logged. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "lnd/sock/report.h"

namespace ulnet::node {

class LogLimit {
 public:
  static constexpr Duration kFirst = std::chrono::minutes(1);  ///< the first while
  static constexpr Duration kMost = std::chrono::hours(1);
  static constexpr std::size_t kRemembered = 256;

  struct Admitted {
    std::uint64_t left_out = 0;  ///< of this kind and address, since one was logged
    bool last = false;           ///< no further address is logged for a while
  };
  /// Nothing: it is not to be logged.
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
