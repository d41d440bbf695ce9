// The drivers that the node polls (lnd::Progress::kPolled). One thread looks at all of them, and
// waits for all of them at once: the polling thread of inline mode, or a thread of the node.
#pragma once

#include <poll.h>

#include <cstddef>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/lnd/duty_meter.h"
#include "lnet/lnd/lnd.h"

namespace ulnet::node {

class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Adds a driver, which must outlive this object; before the first look().
  void add(lnd::Lnd& driver);
  bool empty() const { return drivers_.empty(); }
  /// Lets wake() end a wait(). Before the first wait(). Throws std::system_error if no descriptor
  /// is free.
  void allow_wake();

  // One thread at a time, outside any step of a shard. Both return true if something was delivered.
  /// Looks at each driver once, without waiting. Every call begins with another driver, so that
  /// none always comes after what the others have found.
  bool look();
  /// Looks at the drivers until something was delivered, `wait` is over, or wake() was called.
  /// Sleeps in between as long as all drivers allow.
  bool wait(Duration wait);

  /// Ends the wait() that runs, or the next one. Any thread.
  void wake();
  /// How long the waiting thread works without a pause. Any thread.
  lnd::DutyMeter& duty() { return duty_; }

 private:
  /// How long the thread may sleep, at most `most`.
  Duration may_sleep(Duration most);
  /// Returns whether wake() was called.
  bool sleep(Duration most);

  std::vector<lnd::Lnd*> drivers_;
  std::vector<pollfd> descriptors_;  ///< what a sleep waits for
  std::size_t first_ = 0;            ///< the driver with which the next look() begins
  int wake_fd_ = -1;                 ///< the first of descriptors_; -1: allow_wake() was not called
  lnd::DutyMeter duty_;
};

}  // namespace ulnet::node
