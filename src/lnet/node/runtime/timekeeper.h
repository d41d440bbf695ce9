// Wakes up when a deadline or a timer is due: on a thread of its own (one per node in shared
// mode, one per shard in dedicated mode), or on the polling thread in inline mode. The thread
// sleeps until the earliest deadline unless it is set to spin; an idle node never ticks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/lnd/duty_meter.h"

namespace ulnet::node {

class Timekeeper {
 public:
  Timekeeper() = default;
  ~Timekeeper() { stop(); }
  Timekeeper(const Timekeeper&) = delete;
  Timekeeper& operator=(const Timekeeper&) = delete;

  /// Calls `due`, without any lock, whenever an armed deadline has passed; `due` arms the next
  /// one. With `own_thread` a new thread does this; it calls `begin` first, if given.
  void start(std::function<void()> due, bool own_thread, std::function<void()> begin = {});
  /// Ends the thread. Timers that have not run are dropped; work that was taken over is done first.
  /// Idempotent; not from `due`.
  void stop();

  /// Makes the timekeeper call `due` at `when` at the latest. Any thread. False after stop().
  bool arm(Instant when);
  /// Runs `fn` once, as a handler is run, not before `when`; timers of one instant run in the
  /// order in which they were made. Any thread. No effect after stop().
  void after(Instant when, std::function<void()> fn);

  /// Calls `work` soon on the timekeeper's thread, without a run token; that thread's OuterLoop
  /// then does the work that `work` leaves to it. False after stop().
  bool take_over(std::function<void()> work);

  /// Inline mode: if `at` has reached the deadline, calls `due`, runs the timers that are due and
  /// returns true.
  bool poll(Instant at);
  Instant deadline();

  /// How long the timekeeper's own thread works without a pause. Any thread.
  lnd::DutyMeter& duty() { return duty_; }
  /// Whether that thread spins instead of sleeping when nothing is due. Then no other thread spends
  /// time on waking it, but it keeps its CPU busy. Any thread.
  void set_spin(bool spin);

 private:
  struct Timer {
    Instant when;
    std::uint64_t sequence;
    std::function<void()> fn;
    bool operator<(const Timer& other) const {  // the queue's top is the greatest
      return when != other.when ? when > other.when : sequence > other.sequence;
    }
  };
  void loop();
  void spin_until_due() const;
  void run_due(Instant at);
  void run_taken_over();

  std::function<void()> due_;  // constant after start()
  std::thread thread_;
  lnd::DutyMeter duty_;
  std::mutex mutex_;  // guards the rest; a spinning thread reads the atomics without it
  std::condition_variable changed_;
  std::atomic<Instant> armed_{kNever};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> spin_{false};
  bool gone_ = false;  // take_over() refuses
  std::vector<std::function<void()>> taken_over_;
  std::uint64_t sequence_ = 0;
  std::priority_queue<Timer> timers_;
};

}  // namespace ulnet::node
