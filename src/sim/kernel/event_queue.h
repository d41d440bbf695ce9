// Virtual time: one queue of tasks for a whole world. Tasks due at the same instant run in the
// order in which they were scheduled, so that a run has exactly one order. Scheduling allocates
// no memory per task: the Task itself is the entry. Source: DESIGN.md 6.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <vector>

#include "lnet/base/time.h"

namespace ulnet::sim {

class EventQueue;

/// Work that runs at an instant. A task is scheduled at most once at a time, and must not move.
/// Destroying a scheduled task cancels it.
class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task();

  /// Whether the task waits in a queue. A parked task is not scheduled.
  bool scheduled() const { return queue_ != nullptr; }
  bool parked() const { return hook_.is_linked(); }
  /// When the task is due; kNever: it is not scheduled.
  Instant due() const;

 private:
  friend class EventQueue;
  friend class Parking;
  /// The queue calls run() after it has taken the task out: the task may schedule itself again, or
  /// destroy itself.
  virtual void run() = 0;

  using Hook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook hook_;
  EventQueue* queue_ = nullptr;
  std::uint32_t place_ = 0;  ///< index in heap_
};

class EventQueue {
 public:
  /// The first instant of a world: a while after zero, as with a real clock.
  static constexpr Instant kOrigin = Instant(std::chrono::seconds(1000));

  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue();

  Instant now() const { return now_; }
  /// Schedules the task, or moves it to another instant, also out of a Parking. An instant in the
  /// past means now; kNever cancels the task.
  void at(Instant when, Task& task);
  void in(Duration delay, Task& task) { at(now_ + delay, task); }
  /// Makes the task due at `when` at the latest: a task that is due before stays as it is.
  void by(Instant when, Task& task) {
    if (when < task.due()) at(when, task);
  }
  void cancel(Task& task);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// When the next task is due; kNever: the queue is empty.
  Instant next() const { return heap_.empty() ? kNever : heap_.front().when; }
  /// Moves the clock to the next task's instant and runs that task. False when the queue is empty.
  bool run_one();
  /// Moves the clock to `to`. No task may be due before `to`.
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
  std::vector<Entry> heap_;  ///< four children per entry: flatter than two, fewer cache misses
};

/// Tasks whose instant has come but which must wait: those of a paused node, or on a link that
/// moves nothing. They are released in the order in which they were parked.
class Parking {
 public:
  Parking() = default;
  Parking(const Parking&) = delete;
  Parking& operator=(const Parking&) = delete;
  ~Parking() { forget(); }

  /// Parks the task, which must not be scheduled.
  void park(Task& task);
  /// Schedules all of the parked tasks `delay` from now.
  void release(EventQueue& queue, Duration delay = {});
  /// Unlinks all of the parked tasks without running them.
  void forget() { tasks_.clear(); }
  bool empty() const { return tasks_.empty(); }

 private:
  boost::intrusive::list<Task, boost::intrusive::member_hook<Task, Task::Hook, &Task::hook_>,
                         boost::intrusive::constant_time_size<false>>
      tasks_;
};

}  // namespace ulnet::sim
