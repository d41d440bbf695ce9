// A descriptor that is readable while a flag is raised, so that a thread that polls a socket
// notices the flag too.
#pragma once

#include <atomic>

namespace ulnet::node::control {

/// raise() and lower() are idempotent. Any thread, but not at the same time: the owner's lock
/// prevents that.
class WakeFlag {
 public:
  WakeFlag();
  ~WakeFlag();
  WakeFlag(const WakeFlag&) = delete;
  WakeFlag& operator=(const WakeFlag&) = delete;

  void raise();
  void lower();
  bool raised() const { return raised_; }
  /// For poll(); -1 when the system had no descriptor (then polling threads are not woken early).
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::atomic<bool> raised_ = false;
};

}  // namespace ulnet::node::control
