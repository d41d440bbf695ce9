// The time and the user's interrupts (Ctrl-C and SIGTERM) as commands see them.
#pragma once

#include <memory>

#include "lnet/base/time.h"

namespace ulnet::tools::lst {

class Watch {
 public:
  virtual ~Watch() = default;
  virtual Instant now() const = 0;
  /// Waits. An interrupt ends the wait early, once, while interrupts are heeded.
  virtual void pause(Duration time) = 0;
  /// With true, the first interrupt from now on is only noted, and the next one ends the process.
  /// With false, every interrupt ends the process as before.
  virtual void heed(bool interrupts) = 0;
  /// Whether an interrupt was noted.
  virtual bool interrupted() const = 0;
};

/// Returns the clock and signals of this process. Only one such object may exist at a time.
std::unique_ptr<Watch> system_watch();

/// Heeds interrupts as long as the object exists.
class Heeding {
 public:
  explicit Heeding(Watch& watch) : watch_(watch) { watch_.heed(true); }
  ~Heeding() { watch_.heed(false); }
  Heeding(const Heeding&) = delete;
  Heeding& operator=(const Heeding&) = delete;

 private:
  Watch& watch_;
};

}  // namespace ulnet::tools::lst
