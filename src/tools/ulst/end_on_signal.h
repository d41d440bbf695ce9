// The way out of a prompt whose console goes with it: Ctrl-C and SIGTERM.
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <thread>

namespace ulnet::tools::lst {

/// While it lives the first SIGINT or SIGTERM has `end` called, on a thread of its own, and the
/// process then exits with 128 and the signal's number; the next one ends it at once. One at a
/// time.
class EndOnSignal {
 public:
  explicit EndOnSignal(std::function<void()> end);
  /// Waits for an end that has begun, which does not return.
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
