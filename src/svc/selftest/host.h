// What the selftest needs of the street on which it stands. Everything in this room is
// single-threaded: the host serialises events, alarms and calls. On the simulator that is so by
// itself; a real node has a queue that is worked off by one thread at a time
// (node/selftest_host.h).
#pragma once

#include <cstdint>

#include "base/time.h"
#include "ulnet/lnet.hpp"

namespace ulnet::svc::selftest {

class Host {
 public:
  virtual ~Host() = default;
  virtual Lnet& lnet() = 0;
  virtual Instant now() = 0;
  /// Nanoseconds since 1970: tells people the time, and makes names new.
  virtual std::int64_t wall_ns() = 0;
  /// The sink of every MD of this room. It hands an event to the EventSink that the MD's user_ptr
  /// points to, one at a time, and never while something of this room runs. That sink is there
  /// until it was given the event with `unlinked`.
  virtual EventSink& sink() = 0;
  /// Calls Selftest::wake() at that time, or somewhat later. Only the newest wish counts.
  virtual void wake_at(Instant when) = 0;
};

}  // namespace ulnet::svc::selftest
