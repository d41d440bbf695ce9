// TERM, INT and HUP as something to poll: blocked in every thread, read from a descriptor by one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace ulnet::tools {

class Signals {
 public:
  /// Blocks them in the calling thread and in those it will start: make this before any thread.
  /// PIPE is ignored.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  struct Signal {
    int number = 0;
    pid_t sender = 0;
    uid_t uid = 0;  ///< the sender's
  };
  /// The next signal; none when the time is over, or `other` (a descriptor, -1: none) became
  /// readable.
  std::optional<Signal> wait(std::chrono::milliseconds time, int other = -1);

 private:
  int descriptor_;
};

}  // namespace ulnet::tools
