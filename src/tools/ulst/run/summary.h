// The results of a run, for people and for programs. The shapes of JSON and CSV are promised in
// ulst(8).
#pragma once

#include <string>

#include "tools/ulst/run/outcome.h"

namespace ulnet::tools::lst::run {

/// A row for all clients of each test, and one for each node.
std::string table_of(const Outcome& outcome);
/// A row for all clients of each test.
std::string sweep_table(const Outcome& outcome);
/// Clients down, servers across: MiB/s, or RPC/s of pings; a dash where there is nothing.
std::string matrix_table(const Plan& plan, const Outcome& outcome);
/// What the tables show, as SVG.
std::string matrix_picture(const Plan& plan, const Outcome& outcome);
std::string sweep_picture(const Plan& plan, const Outcome& outcome);
std::string json_of(const Plan& plan, const Outcome& outcome);
std::string csv_of(const Plan& plan, const Outcome& outcome);

}  // namespace ulnet::tools::lst::run
