// Counters of the control API about itself, for /metrics.
#pragma once

#include "admin/http/session.h"

namespace ulnet::node::control {

/// Any thread.
struct ControlCounters : http::Counters {
  /// Requests and connections that failed because memory ran out.
  std::atomic<std::uint64_t> no_memory{0};
  std::atomic<std::uint64_t> streams{0};  ///< streams of events that were begun
  /// Streams that were refused because there were too many.
  std::atomic<std::uint64_t> streams_refused{0};
  std::atomic<std::uint64_t> streams_lost{0};  ///< events that a stream did not have
};

}  // namespace ulnet::node::control
