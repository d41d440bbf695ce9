// Notes Ctrl-C and SIGTERM while a command changes a laboratory. The command looks at the note
// where it can stop and clean up. Further signals do not disturb the cleaning.
#pragma once

#include <array>
#include <csignal>

namespace ulnet::tools::lab {

/// While it exists, SIGINT, SIGTERM and SIGHUP end nothing. Only one may exist at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Returns the first signal that came; 0: no signal came.
  static int came();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace ulnet::tools::lab
