// The exit codes of ulnet-sim (docs/man/ulnet-sim.1.scd).
#pragma once

namespace ulnet::tools {

enum ExitCode : int {
  kExitGood = 0,      ///< the verdict is good
  kExitBad = 1,       ///< a violation, an unmet expectation, or the run did not end
  kExitUsage = 2,     ///< the command line
  kExitScenario = 3,  ///< the scenario file: file:line:column: reason on stderr
};

}  // namespace ulnet::tools
