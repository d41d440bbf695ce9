// A whole run: a session of its own from beginning to end, whatever happens in between.
#pragma once

#include "tools/ulst/run/outcome.h"
#include "tools/ulst/run/progress.h"
#include "tools/ulst/tool.h"

namespace ulnet::tools::lst::run {

/// The tests of `plan` one after the other. An interrupt that is heeded ends the run as if its time
/// were over.
Outcome run_plan(const Tool& tool, const Plan& plan, Progress& progress);
/// The same for each client with each server, in a session for each pair, one after the other, so
/// that no pair disturbs another. A node with itself is none. What one pair cannot do does not stop
/// the others.
Outcome run_pairs(const Tool& tool, const Plan& plan, Progress& progress);

}  // namespace ulnet::tools::lst::run
