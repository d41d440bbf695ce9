// The exit codes of ulnetd for its supervisor (docs/man/ulnetd.8.scd). A second signal while the
// daemon drains ends it at once with 128 + the signal's number, as shells report it.
#pragma once

namespace ulnet::tools {

enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,          ///< could not start, or failed while running; the log says why
  kExitUsage = 2,           ///< a mistake on the command line
  kExitConfiguration = 3,   ///< a mistake in the configuration file: file:line:column on stderr
  kExitAlreadyRunning = 4,  ///< another process owns this control socket
};

}  // namespace ulnet::tools
