// A descriptor that is readable while a flag is up: lets threads that poll a socket notice
// something else.
#pragma once

#include <atomic>

namespace ulnet::node::control {

/// raise() and lower() are idempotent; any thread, but not against each other (the owner's lock
/// sees to that).
class WakeFlag {
 public:
  WakeFlag();
  ~WakeFlag();
  WakeFlag(const WakeFlag&) = delete;
  WakeFlag& operator=(const WakeFlag&) = delete;

  void raise();
  void lower();
  bool raised() const { return raised_; }
  /// For poll(); -1 when the system gave none (then nobody is woken early).
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::atomic<bool> raised_ = false;
};

}  // namespace ulnet::node::control
