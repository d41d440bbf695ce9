// Who wakes up when something is due: a thread of its own in shared mode, the polling thread in
// inline mode. It sleeps until the earliest deadline and not a moment less, unless it is told to
// spin; an idle node never ticks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "base/time.h"
#include "lnd/duty_meter.h"

namespace ulnet::node {

class Timekeeper {
 public:
  Timekeeper() = default;
  /// Stops.
  ~Timekeeper() { stop(); }
  Timekeeper(const Timekeeper&) = delete;
  Timekeeper& operator=(const Timekeeper&) = delete;

  /// `due` is called, without any lock, whenever an armed deadline has passed; it arms what comes
  /// next. `begin`, if given, is the first thing that the thread of its own does.
  void start(std::function<void()> due, bool own_thread, std::function<void()> begin = {});
  /// Ends the thread; timers not yet run are dropped, what was adopted is done. Idempotent; not
  /// from `due`.
  void stop();

  /// Wakes at `when` at the latest. Any thread. False after stop().
  bool arm(Instant when);
  /// `fn` runs once, as a handler runs, not before `when`; timers of the same instant in the order
  /// of their making.
  void after(Instant when, std::function<void()> fn);

  /// Has `owe` called soon on the thread that keeps the time, without a token; what it then owes is
  /// settled. False after stop().
  bool adopt(std::function<void()> owe);

  /// Inline mode: calls `due` and runs the timers when `at` has reached the deadline. True when it
  /// had.
  bool poll(Instant at);
  Instant deadline();

  /// Of the thread of its own; any thread.
  lnd::DutyMeter& duty() { return duty_; }
  /// Whether that thread, when nothing is due, goes on looking instead of sleeping: nobody who has
  /// something for it pays for waking it, and it has its CPU for itself. Any thread.
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
  void run_adopted();

  std::function<void()> due_;  // constant after start()
  std::thread thread_;
  lnd::DutyMeter duty_;
  std::mutex mutex_;  // guards the rest; who spins reads the atomics without it
  std::condition_variable changed_;
  std::atomic<Instant> armed_{kNever};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> spin_{false};
  bool gone_ = false;  // nobody adopts any more
  std::vector<std::function<void()>> adopted_;
  std::uint64_t sequence_ = 0;
  std::priority_queue<Timer> timers_;
};

}  // namespace ulnet::node
