// The exit codes of ulnet-fgr (docs/FGR.md).
#pragma once

namespace ulnet::tools::fgr {

enum ExitCode : int {
  kExitDone = 0,
  kExitFound = 1,  ///< there are findings, suspects, or a failed measurement
  /// a wrong command line, or a file that cannot be read: file:line:column: reason
  kExitInput = 2,
  kExitPartly = 3,  ///< no mistakes were found, but some parts were not checked
};

}  // namespace ulnet::tools::fgr
