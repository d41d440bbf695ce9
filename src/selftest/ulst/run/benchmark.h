// A whole run of `ulst run`, in a session that it begins and always ends.
#pragma once

#include "selftest/ulst/run/outcome.h"
#include "selftest/ulst/run/progress.h"
#include "selftest/ulst/tool.h"

namespace ulnet::tools::lst::run {

/// Runs the tests of `plan` one after the other. An interrupt that Watch noted ends the run as if
/// its time were over.
Outcome run_plan(const Tool& tool, const Plan& plan, Progress& progress);
/// Runs `plan` for each client with each server, pair after pair, each in its own session, so
/// that no pair disturbs another. A node is not paired with itself. A failure of one pair does
/// not stop the others.
Outcome run_pairs(const Tool& tool, const Plan& plan, Progress& progress);

}  // namespace ulnet::tools::lst::run
