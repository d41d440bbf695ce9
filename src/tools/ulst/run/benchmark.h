// A whole run: a session of its own from beginning to end, whatever happens in between.
#pragma once

#include "tools/ulst/run/outcome.h"
#include "tools/ulst/run/progress.h"
#include "tools/ulst/tool.h"

namespace ulnet::tools::lst::run {

/// The tests of `plan` one after the other. Interrupts are heeded: the first ends the run as if its
/// time were over.
Outcome run_plan(const Tool& tool, const Plan& plan, Progress& progress);

}  // namespace ulnet::tools::lst::run
