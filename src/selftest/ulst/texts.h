// Formats what lst prints from the console's answers (docs/CONTROL-API.md); pure functions. Source:
// spec/cli-lst.md 3, 7.
#pragma once

#include <string>
#include <string_view>

#include "selftest/ulst/console_client.h"
#include "selftest/ulst/rates.h"

namespace ulnet::tools::lst {

// Sessions (3.1, 3.2)
std::string session_started(const Tree& session);
std::string session_shown(const Tree& session);

/// Returns a line for standard error (7) for each node of an answer whose RPC failed or that
/// refused.
std::string node_problems(const Tree& answer);

/// Returns a line "\t12345-10.1.1.1@tcp: Active [session: rw id: 10.1.1.9@tcp]" per node (3.4).
std::string pinged(const Tree& answer);

/// Returns the lines "1) name" and so on, then "Total 2 groups".
std::string numbered(const Tree& names, std::string_view what);
/// Returns "\tACTIVE\tBUSY\tDOWN\tUNKNOWN\tTOTAL".
std::string counts_title();
/// Returns "client\t1\t0\t0\t0\t1"; `name`, if any, follows the numbers.
std::string counts_row(std::string_view label, const Tree& counts, std::string_view name = {});
/// Lists the nodes in one state (lst's words in lower case; "all": any). Sets `count` to their
/// number.
std::string nodes_in_state(const Tree& nodes, std::string_view state, std::size_t& count);
/// Shows the group as list_group --active and similar options do.
std::string group_nodes(std::string_view name, const Tree& nodes, std::string_view state);

// Batches (3.6)
std::string batch_shown(const Tree& batch);
/// Shows the test with this number, from 1.
std::string test_shown(const Tree& test, std::size_t index);

enum class QueryOf : std::uint8_t { kAll, kActive, kIdle, kError };
/// Returns "b [0] is running".
std::string query_summary(const Tree& answer, std::string_view batch, int test);
/// Returns a line "12345-10.1.1.1@tcp [Active]: Running" for each node that `which` selects.
std::string query_nodes(const Tree& answer, QueryOf which);

// Rates (3.8)
struct StatOptions {
  bool bandwidth = true, rate = true;
  bool read = true, write = true;
  bool average = true, least = true, most = true;
  bool megabytes = false;  ///< of 10^6 bytes
};
std::string rates_shown(const Sample& sample, std::string_view target, const StatOptions& options);

/// Lists the nodes with errors, for standard error (3.9). Sets `count` to their number.
std::string errors_shown(const Tree& answer, bool session_only, std::size_t& count);

}  // namespace ulnet::tools::lst
