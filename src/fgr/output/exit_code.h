// The exit codes of ulnet-fgr (docs/FGR.md).
#pragma once

namespace ulnet::tools::fgr {

enum ExitCode : int {
  kExitDone = 0,
  kExitFound = 1,   ///< something is not as it should be: findings, suspects, a failed measurement
  kExitInput = 2,   ///< the command line, or a file that cannot be read: file:line:column: reason
  kExitPartly = 3,  ///< nothing wrong in what was checked, and not everything was checked
};

}  // namespace ulnet::tools::fgr
