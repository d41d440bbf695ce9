// Makes TERM, INT and HUP readable from a descriptor that can be polled: all threads block them,
// one reads them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace ulnet::tools {

class Signals {
 public:
  /// Blocks them in the calling thread and in the threads that it will start, so make this object
  /// before any thread. SIGPIPE is ignored.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  struct Signal {
    int number = 0;
    pid_t sender = 0;
    uid_t uid = 0;  ///< the sender's
  };
  /// The next signal; nothing when `time` is over, or when the descriptor `other` (-1: none) became
  /// readable.
  std::optional<Signal> wait(std::chrono::milliseconds time, int other = -1);

 private:
  int descriptor_;
};

}  // namespace ulnet::tools
