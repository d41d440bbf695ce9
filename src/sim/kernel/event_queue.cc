#include "sim/kernel/event_queue.h"

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kChildren = 4;

}  // namespace

Task::~Task() {
  if (queue_ != nullptr) queue_->cancel(*this);
}

Instant Task::due() const { return queue_ == nullptr ? kNever : queue_->heap_[place_].when; }

EventQueue::~EventQueue() {
  for (const Entry& entry : heap_) entry.task->queue_ = nullptr;
}

void EventQueue::at(Instant when, Task& task) {
  task.hook_.unlink();
  if (when == kNever) return cancel(task);
  ULNET_ASSERT(task.queue_ == nullptr || task.queue_ == this);
  const Entry entry{std::max(when, now_), order_++, &task};
  if (task.queue_ == nullptr) {
    task.queue_ = this;
    heap_.push_back(entry);
    return up(static_cast<std::uint32_t>(heap_.size() - 1), entry);
  }
  const std::uint32_t place = task.place_;
  entry.before(heap_[place]) ? up(place, entry) : down(place, entry);
}

void EventQueue::cancel(Task& task) {
  task.hook_.unlink();
  if (task.queue_ == nullptr) return;
  ULNET_ASSERT(task.queue_ == this);
  take_out(task.place_);
}

bool EventQueue::run_one() {
  if (heap_.empty()) return false;
  Task& task = *heap_.front().task;
  now_ = heap_.front().when;
  take_out(0);
  task.run();
  return true;
}

void EventQueue::advance(Instant to) {
  ULNET_ASSERT(to >= now_ && to <= next());
  now_ = to;
}

void EventQueue::take_out(std::uint32_t place) {
  heap_[place].task->queue_ = nullptr;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  const bool rises = place != 0 && last.before(heap_[(place - 1) / kChildren]);
  rises ? up(place, last) : down(place, last);
}

void EventQueue::up(std::uint32_t place, Entry entry) {
  while (place != 0) {
    const std::uint32_t parent = (place - 1) / kChildren;
    if (!entry.before(heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, entry);
}

void EventQueue::down(std::uint32_t place, Entry entry) {
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (;;) {
    const std::uint32_t first = place * kChildren + 1;
    if (first >= size) break;
    std::uint32_t least = first;
    for (std::uint32_t child = first + 1; child < std::min(first + kChildren, size); ++child)
      if (heap_[child].before(heap_[least])) least = child;
    if (!heap_[least].before(entry)) break;
    put(place, heap_[least]);
    place = least;
  }
  put(place, entry);
}

void Parking::park(Task& task) {
  ULNET_ASSERT(!task.scheduled());
  task.hook_.unlink();
  tasks_.push_back(task);
}

void Parking::release(EventQueue& queue, Duration delay) {
  while (!tasks_.empty()) queue.in(delay, tasks_.front());
}

}  // namespace ulnet::sim
