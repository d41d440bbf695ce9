// Time as a command sees it, and the user who has seen enough: Ctrl-C and SIGTERM.
#pragma once

#include <memory>

#include "base/time.h"

namespace ulnet::tools::lst {

class Watch {
 public:
  virtual ~Watch() = default;
  virtual Instant now() const = 0;
  /// An interrupt that is heeded ends it early, once.
  virtual void pause(Duration time) = 0;
  /// From now on the first interrupt is only noted, the next one ends the process; or none is noted
  /// any more, as at first.
  virtual void heed(bool interrupts) = 0;
  /// One came that was heeded.
  virtual bool interrupted() const = 0;
};

/// Of this process: one at a time.
std::unique_ptr<Watch> system_watch();

/// As long as this lives interrupts are heeded.
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
