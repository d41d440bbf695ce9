// Counters of the control API about itself, for /metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace ulnet::node::control {

/// Any thread.
class ControlCounters {
 public:
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};    ///< answered with 403
  std::atomic<std::uint64_t> failed{0};     ///< answered with another status of 400 or more
  std::atomic<std::uint64_t> malformed{0};  ///< not HTTP, or too large: answered and closed
  std::atomic<std::uint64_t> timed_out{0};  ///< too slow with a request or with taking the answer
  /// Requests and connections that failed because memory ran out.
  std::atomic<std::uint64_t> no_memory{0};
  std::atomic<std::uint64_t> streams{0};  ///< streams of events that were begun
  /// Streams that were refused because there were too many.
  std::atomic<std::uint64_t> streams_refused{0};
  std::atomic<std::uint64_t> streams_lost{0};  ///< events that a stream did not have
};

}  // namespace ulnet::node::control
