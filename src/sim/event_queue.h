// Virtual time: what is due when. One queue for a whole world; what is due at the same instant runs
// in the order in which it was scheduled, so a run has exactly one order. Nothing is allocated per
// event: whatever can be due is a Task and waits in place. Source: DESIGN.md 6.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace ulnet::sim {

class EventQueue;

/// Something that runs when its instant has come. It is due once at a time, and must not move.
/// Destroying one that waits takes it out.
class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task();

  /// It waits in a queue. (One that is parked does not.)
  bool scheduled() const { return queue_ != nullptr; }
  bool parked() const { return hook_.is_linked(); }
  /// kNever when it does not wait.
  Instant due() const;

 private:
  friend class EventQueue;
  friend class Parking;
  /// It has been taken out and may schedule itself again, or destroy itself.
  virtual void run() = 0;

  using Hook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook hook_;
  EventQueue* queue_ = nullptr;
  std::uint32_t place_ = 0;  ///< in the heap
};

class EventQueue {
 public:
  /// A world begins a while after zero, as clocks do.
  static constexpr Instant kOrigin = Instant(std::chrono::seconds(1000));

  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  Instant now() const { return now_; }
  /// Schedules, or moves, or takes out of its parking. What is past is due now; kNever cancels.
  void at(Instant when, Task& task);
  void in(Duration delay, Task& task) { at(now_ + delay, task); }
  /// Not later than `when`: leaves a task alone that is due before.
  void by(Instant when, Task& task) {
    if (when < task.due()) at(when, task);
  }
  void cancel(Task& task);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// kNever when empty.
  Instant next() const { return heap_.empty() ? kNever : heap_.front().when; }
  /// Moves the clock to the next task's instant and runs it. False when there is none.
  bool run_one();
  /// Moves the clock on; nothing must be due before.
  void advance(Instant to);

 private:
  friend class Task;
  struct Entry {
    Instant when;
    std::uint64_t order;
    Task* task;
    bool before(const Entry& other) const {
      return when != other.when ? when < other.when : order < other.order;
    }
  };
  void take_out(std::uint32_t place);
  void up(std::uint32_t place, Entry entry);
  void down(std::uint32_t place, Entry entry);
  void put(std::uint32_t place, const Entry& entry) {
    heap_[place] = entry;
    entry.task->place_ = place;
  }

  Instant now_ = kOrigin;
  std::uint64_t order_ = 0;
  std::vector<Entry> heap_;  ///< four children per entry: flat, and kind to caches
};

/// Tasks whose time had come but which cannot run now: of a node that is paused, on a link where
/// nothing moves. They go on in the order in which they came.
class Parking {
 public:
  Parking() = default;
  Parking(const Parking&) = delete;
  Parking& operator=(const Parking&) = delete;
  ~Parking() { forget(); }

  /// Not while it is scheduled.
  void park(Task& task);
  /// All of them are due `delay` from now.
  void release(EventQueue& queue, Duration delay = {});
  /// They are due no more.
  void forget() { tasks_.clear(); }
  bool empty() const { return tasks_.empty(); }

 private:
  boost::intrusive::list<Task, boost::intrusive::member_hook<Task, Task::Hook, &Task::hook_>,
                         boost::intrusive::constant_time_size<false>>
      tasks_;
};

}  // namespace ulnet::sim
