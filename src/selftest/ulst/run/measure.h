// The counters of a node, and what two samples of them show about a test. Source:
// spec/wire-selftest.md 3.6, docs/CONTROL-API.md (stat).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selftest/ulst/console_client.h"
#include "selftest/ulst/run/plan.h"

namespace ulnet::tools::lst::run {

/// The time in microseconds within which this share of the RPCs ended.
struct Percentiles {
  double p50 = 0, p99 = 0, p999 = 0;
};

struct Counts {
  std::uint32_t running_ms = 0;
  std::uint32_t sent = 0, received = 0;  ///< requests
  std::uint32_t bad = 0;                 ///< RPCs of its tests that did not end well
  std::uint32_t failed = 0;              ///< messages that failed, and RPCs that timed out
  std::uint32_t batches = 0;             ///< batches that run
  std::uint64_t moved = 0;               ///< bytes that the node moved as a server
  /// answers that the node had given to the console's requests before this sample
  std::uint64_t asked = 0;
  /// How many RPCs ended well. Known only for the console's own node, when it is a client.
  std::optional<std::uint64_t> rpcs;
};
/// Reads the counters of `node`, a node in an answer.
Counts counts_of(const Tree& node, std::uint64_t asked);
/// Reads {"p50_ns": ...} of an answer; returns nothing when no RPC was counted.
std::optional<Percentiles> percentiles_of(const Tree& latency);

enum class Role : std::uint8_t { kClient, kServer };
const char* to_string(Role role);

/// The results of one node in a test, in one role.
struct Flow {
  std::string node;  ///< the NID of the node; its process id when its PID is not the usual one
  Role role = Role::kClient;
  double seconds = 0;  ///< time to which the rates refer
  double rpcs_per_s = 0, bytes_per_s = 0;
  /// True: the rates cover the test's time, as those of the other nodes do. False: the node was
  /// silent at the beginning or end of that time, so its rates are not known.
  bool rated = true;
  std::uint64_t rpcs = 0;    ///< RPCs that ended well, as far as the counters show
  std::uint64_t errors = 0;  ///< RPCs that did not end well, including RPCs with wrong data
  std::uint64_t wrong = 0;   ///< RPCs whose data were wrong
  /// Seconds of the test in which no RPC ended well, or the node was silent.
  double no_data = 0;
  std::optional<double> mean_us;
  std::optional<Percentiles> percentiles;
  std::string no_percentiles;  ///< why a client has no percentiles, in words
  std::string note;            ///< while the test runs: whether the node is or was silent
  std::string lost;            ///< why the console does not ask the node any more, in words
};
/// Returns how many RPCs of a node ended well between two samples, as far as its counters show.
std::uint64_t rpcs_between(const Step& step, Role role, const Counts& from, const Counts& to);
/// Sets the rates; `rpcs` is the number of RPCs that ended well in flow.seconds.
void set_rates(Flow& flow, const Step& step, std::uint64_t rpcs);
/// Returns the rates and RPCs of a node between two samples.
Flow flow_between(const Step& step, bool checked, Role role, const Counts& from, const Counts& to);
/// Returns the sum of all clients. The rates are sums of the known rates. The seconds without data
/// cannot be summed, so they are not set.
Flow sum_of(const std::vector<Flow>& clients);

}  // namespace ulnet::tools::lst::run
