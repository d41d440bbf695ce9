// Formats the results of a run for people and for programs. ulst(8) documents the JSON and the CSV.
#pragma once

#include <string>

#include "selftest/ulst/run/outcome.h"

namespace ulnet::tools::lst::run {

/// Formats a table with a row for all clients of each test, and a row for each node.
std::string table_of(const Plan& plan, const Outcome& outcome);
/// Formats a table with a row for all clients of each test.
std::string sweep_table(const Plan& plan, const Outcome& outcome);
/// Formats a table with a row per client and a column per server. Its values are MiB/s, or RPC/s of
/// pings; a dash shows that there is no value.
std::string matrix_table(const Plan& plan, const Outcome& outcome);
/// Each function draws a table as SVG.
std::string matrix_picture(const Plan& plan, const Outcome& outcome);
std::string sweep_picture(const Plan& plan, const Outcome& outcome);
std::string json_of(const Plan& plan, const Outcome& outcome);
std::string csv_of(const Plan& plan, const Outcome& outcome);

}  // namespace ulnet::tools::lst::run
