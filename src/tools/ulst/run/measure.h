// What a node counted, and what two of its counts say about a test. Source:
// spec/wire-selftest.md 3.6, docs/DOOR.md (stat).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ulst/console_door.h"
#include "tools/ulst/run/plan.h"

namespace ulnet::tools::lst::run {

/// Microseconds within which that share of RPCs ended.
struct Percentiles {
  double p50 = 0, p99 = 0, p999 = 0;
};

struct Counts {
  std::uint32_t running_ms = 0;
  std::uint32_t sent = 0, received = 0;  ///< requests
  std::uint32_t bad = 0;                 ///< RPCs of its tests that did not end well
  std::uint32_t failed = 0;              ///< messages that failed, and RPCs that timed out
  std::uint32_t batches = 0;             ///< that run
  std::uint64_t moved = 0;               ///< bytes, as a server
  std::uint64_t asked = 0;               ///< how often it had told the console so
  /// That ended well: of the console's own node, when it is a client.
  std::optional<std::uint64_t> rpcs;
};
/// `node`: one of the answer's nodes, with counters.
Counts counts_of(const Tree& node, std::uint64_t asked);
/// {"p50_ns": ...} of an answer; nothing when there is none.
std::optional<Percentiles> percentiles_of(const Tree& latency);

enum class Role : std::uint8_t { kClient, kServer };
const char* to_string(Role role);

/// One node's part in a test, in one role.
struct Flow {
  std::string node;  ///< its NID; its process id where the PID is not the usual one
  Role role = Role::kClient;
  double seconds = 0;  ///< that the rates are of
  double rpcs_per_s = 0, bytes_per_s = 0;
  std::uint64_t rpcs = 0;    ///< that ended well, as far as its counters tell
  std::uint64_t errors = 0;  ///< RPCs that did not, wrong data among them
  std::uint64_t wrong = 0;   ///< RPCs whose data were wrong
  std::optional<double> mean_us;
  std::optional<Percentiles> percentiles;
  std::string no_percentiles;  ///< why there are none, in words; of clients
  std::string note;            ///< while it runs: that it is silent, or was
  std::string lost;            ///< why the node does not answer any more, in words
};
/// Between two counts of a node: its rates, its RPCs.
Flow flow_between(const Step& step, bool checked, Role role, const Counts& from, const Counts& to);
/// Clients and what they did together; the rates are sums.
Flow sum_of(const std::vector<Flow>& clients);

/// "10.0.0.1@tcp" for "12345-10.0.0.1@tcp".
std::string short_id(const std::string& id);

}  // namespace ulnet::tools::lst::run
