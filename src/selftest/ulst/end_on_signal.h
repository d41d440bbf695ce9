// Ends the prompt on Ctrl-C or SIGTERM, when the console is in this process and ends with it.
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <thread>

namespace ulnet::tools::lst {

/// While this object exists, the first SIGINT or SIGTERM makes a thread call `end` and then exit
/// the process with 128 + the signal's number. The next signal ends the process at once. Only one
/// object may exist at a time.
class EndOnSignal {
 public:
  explicit EndOnSignal(std::function<void()> end);
  /// If `end` has been called, the destructor waits and does not return.
  ~EndOnSignal();
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;

 private:
  void wait_for_signal();

  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  const std::function<void()> end_;
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, kSignals.size()> before_{};
  std::thread waiting_;
};

}  // namespace ulnet::tools::lst
