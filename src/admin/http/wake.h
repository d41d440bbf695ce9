// A descriptor that is readable while a flag is raised. A thread that polls a socket can thus
// notice the flag too.
#pragma once

#include <atomic>

namespace ulnet::http {

/// raise() and lower() are idempotent. Any thread may call them, but not two threads at the same
/// time; the owner's lock prevents that.
class WakeFlag {
 public:
  WakeFlag();
  ~WakeFlag();
  WakeFlag(const WakeFlag&) = delete;
  WakeFlag& operator=(const WakeFlag&) = delete;

  void raise();
  void lower();
  bool raised() const { return raised_; }
  /// Returns the descriptor for poll(); -1 when the system had no descriptor. Polling threads are
  /// not woken early then.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::atomic<bool> raised_ = false;
};

}  // namespace ulnet::http
