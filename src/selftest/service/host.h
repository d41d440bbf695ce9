// The functions that the selftest needs from the node that runs it. The code of
// src/selftest/service is single-threaded: the host calls it with one event, alarm or call at a
// time. The simulator has one thread. A real node has a queue, which one thread at a time processes
// (selftest_host.h).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "lnet/base/memory_budget.h"
#include "lnet/base/time.h"
#include "ulnet/lnet.hpp"

namespace ulnet::svc::selftest {

/// As in NodeOptions::log.
enum class LogLevel : std::uint8_t { kInfo = 1, kWarning = 2 };

class Host {
 public:
  virtual ~Host() = default;
  virtual Lnet& lnet() = 0;
  virtual Instant now() = 0;
  /// Returns nanoseconds since 1970, for the time in pings and for ids that were not used before.
  virtual std::int64_t wall_ns() = 0;
  /// Returns the event sink of every MD of the selftest. The sink passes each event to the
  /// EventSink to which the MD's user_ptr points. It passes one event at a time, and never while
  /// other code of the selftest runs. The EventSink exists until it has got the event with
  /// `unlinked`.
  virtual EventSink& sink() = 0;
  /// Calls Selftest::wake() at `when` or a little later. Only the last call counts.
  virtual void wake_at(Instant when) = 0;
  /// Returns the node's memory budget. The selftest takes the memory that other nodes can make it
  /// keep from the part kSelftest of the budget. The budget outlives the selftest.
  virtual MemoryBudget& memory() = 0;
  /// Allocates zeroed memory, which std::free() frees. Null: there is no memory.
  virtual void* zeroed(std::size_t bytes) { return std::calloc(1, bytes); }
  /// Reports that the selftest has freed much memory. A host can return it to the system.
  virtual void trim() {}
  /// Writes a line to the node's log.
  virtual void log(LogLevel level, const std::string& line) = 0;
};

}  // namespace ulnet::svc::selftest
