// What ulnet-sim's exit code says (docs/man/ulnet-sim.1.scd).
#pragma once

namespace ulnet::tools {

enum ExitCode : int {
  kExitGood = 0,      ///< the verdict is good
  kExitBad = 1,       ///< a violation, an expectation that did not come true, or no end
  kExitUsage = 2,     ///< the command line
  kExitScenario = 3,  ///< the scenario file: file:line:column: reason on stderr
};

}  // namespace ulnet::tools
