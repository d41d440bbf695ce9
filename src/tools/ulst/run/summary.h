// The results of a run, for people and for programs. The shapes of JSON and CSV are promised in
// ulst(8).
#pragma once

#include <string>

#include "tools/ulst/run/outcome.h"

namespace ulnet::tools::lst::run {

std::string table_of(const Outcome& outcome);
std::string json_of(const Plan& plan, const Outcome& outcome);
std::string csv_of(const Plan& plan, const Outcome& outcome);

}  // namespace ulnet::tools::lst::run
