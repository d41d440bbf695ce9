// The exit codes of ulnet-lab (docs/LAB.md).
#pragma once

namespace ulnet::tools::lab {

enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,
  kExitUsage = 2,          ///< the command line
  kExitConfiguration = 3,  ///< a file is wrong: file:line:column: reason on stderr
  kExitNotMeasured = 255,  ///< as 'ulst run' does, whose 1 reports that a measurement had errors
};

}  // namespace ulnet::tools::lab
