// What the selftest needs of the node that runs it. The code of src/svc/selftest is
// single-threaded: the host calls it with one event, alarm or call at a time. The simulator has
// one thread; a real node has a queue that one thread at a time works off (selftest_host.h).
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
  /// Nanoseconds since 1970, for the time in pings and for ids that were not used before.
  virtual std::int64_t wall_ns() = 0;
  /// The sink of every MD of the selftest. It passes each event to the EventSink that the MD's
  /// user_ptr points to, one event at a time, and never while other code of the selftest runs.
  /// That EventSink exists until it has got the event with `unlinked`.
  virtual EventSink& sink() = 0;
  /// Calls Selftest::wake() at `when` or a little later. Only the last call counts.
  virtual void wake_at(Instant when) = 0;
};

}  // namespace ulnet::svc::selftest
