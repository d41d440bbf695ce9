// Event queues: events wait in a ring until somebody gets them, as in the first LNet interface; a
// handler may see them too. Source: spec/core-semantics.md 5.1.
//
// Header only, because it runs on every Lnet: a real node and the simulator's. Events of one MD
// keep their order. More than `count` waiting events: the oldest are kept, the newest lost, and the
// next one that follows a loss says so.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "ulnet/lnet.hpp"

namespace ulnet {

class EventQueue final : public EventSink {
 public:
  using Handler = std::function<void(const Event&)>;
  enum class Got : std::uint8_t {
    kNothing,
    kEvent,
    kEventAfterLoss,  ///< an event, and at least one before it was lost; said once per loss
  };
  static constexpr std::chrono::nanoseconds kForever{-1};

  /// `lnet` must outlive the queue. `count` 0: handler only. -EINVAL when there is neither,
  /// -ENOMEM.
  static Result<std::unique_ptr<EventQueue>> create(Lnet& lnet, std::uint32_t count,
                                                    Handler handler = {}) {
    if (count == 0 && !handler) return fail(-EINVAL, "an event queue needs a size or a handler");
    std::unique_ptr<Slot[]> ring(count != 0 ? new (std::nothrow) Slot[count] : nullptr);
    if (count != 0 && ring == nullptr) return fail(-ENOMEM, "no memory for the event queue");
    return std::unique_ptr<EventQueue>(
        new EventQueue(lnet, count, std::move(ring), std::move(handler)));
  }
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  /// No MD may use the queue any more and nobody wait on it: see in_use().
  ~EventQueue() override = default;

  /// True while an MD names this queue: it must not be destroyed (LNetEQFree says -EBUSY).
  bool in_use() const { return mds_.load(std::memory_order_acquire) != 0; }

  /// Never waits. Any thread.
  Got get(Event& event) {
    const std::lock_guard lock(mutex_);
    return pop(event);
  }
  /// Waits for ever. Not from a handler.
  Got wait(Event& event) {
    EventQueue* self = this;
    std::size_t which = 0;
    return poll(std::span(&self, 1), kForever, event, which);
  }
  /// Waits for the first event in any of `queues` (of one Lnet), asked in this order; `which` is
  /// its index. Time-out 0 looks once, negative waits for ever. In inline mode it moves bytes and
  /// runs handlers meanwhile. Not from a handler unless time-out is 0.
  static Got poll(std::span<EventQueue* const> queues, std::chrono::nanoseconds timeout,
                  Event& event, std::size_t& which) {
    if (queues.empty()) return Got::kNothing;
    const Deadline deadline(timeout);
    return queues.front()->lnet_.polled() ? poll_inline(queues, deadline, event, which)
                                          : poll_waiting(queues, deadline, event, which);
  }

  // EventSink; called by the Lnet.
  void on_event(const Event& event) override {
    if (handler_) handler_(event);
    if (count_ != 0) push(event);
    if (event.unlinked)
      mds_.fetch_sub(1,
                     std::memory_order_release);  // last: the queue may be destroyed from here on
  }
  void md_added() override { mds_.fetch_add(1, std::memory_order_relaxed); }
  void md_refused() override { mds_.fetch_sub(1, std::memory_order_release); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    Event event;
    bool after_loss = false;
  };
  /// A thread inside poll(); lives on its stack.
  struct Poller {
    std::mutex mutex;
    std::condition_variable woken;
    bool wake = false;
  };
  struct Deadline {
    explicit Deadline(std::chrono::nanoseconds timeout)
        : forever(timeout.count() < 0),
          at(Clock::now() + (forever ? std::chrono::nanoseconds(0) : capped(timeout))) {}
    static std::chrono::nanoseconds capped(std::chrono::nanoseconds t) {
      return t < std::chrono::hours(24 * 365)
                 ? t
                 : std::chrono::nanoseconds(std::chrono::hours(24 * 365));
    }
    std::chrono::nanoseconds left() const {
      if (forever) return std::chrono::hours(1);
      return std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(at - Clock::now()));
    }
    bool over() const { return !forever && Clock::now() >= at; }
    bool forever;
    Clock::time_point at;
  };

  EventQueue(Lnet& lnet, std::uint32_t count, std::unique_ptr<Slot[]> ring, Handler handler)
      : lnet_(lnet), count_(count), handler_(std::move(handler)), ring_(std::move(ring)) {}

  void push(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (used_ == count_) {
      lost_ = true;
      return;
    }
    ring_[(first_ + used_++) % count_] = Slot{event, std::exchange(lost_, false)};
    for (Poller* poller : pollers_) {
      const std::lock_guard poller_lock(poller->mutex);
      poller->wake = true;
      poller->woken.notify_one();
    }
  }
  Got pop(Event& event) {
    if (used_ == 0) return Got::kNothing;
    const Slot& slot = ring_[first_];
    event = slot.event;
    first_ = (first_ + 1) % count_;
    --used_;
    return slot.after_loss ? Got::kEventAfterLoss : Got::kEvent;
  }
  static Got look(std::span<EventQueue* const> queues, Event& event, std::size_t& which) {
    for (which = 0; which < queues.size(); ++which)
      if (const Got got = queues[which]->get(event); got != Got::kNothing) return got;
    which = 0;
    return Got::kNothing;
  }
  static Got poll_inline(std::span<EventQueue* const> queues, const Deadline& deadline,
                         Event& event, std::size_t& which) {
    while (true) {
      if (const Got got = look(queues, event, which); got != Got::kNothing) return got;
      const bool last = deadline.over();
      queues.front()->lnet_.progress(last ? std::chrono::nanoseconds(0) : deadline.left());
      if (last) return look(queues, event, which);
    }
  }
  static Got poll_waiting(std::span<EventQueue* const> queues, const Deadline& deadline,
                          Event& event, std::size_t& which) {
    if (const Got got = look(queues, event, which); got != Got::kNothing || deadline.over())
      return got;
    Poller poller;
    for (EventQueue* queue : queues) queue->join(poller);
    Got got = look(queues, event, which);
    while (got == Got::kNothing && !deadline.over()) {
      std::unique_lock lock(poller.mutex);
      poller.woken.wait_for(lock, deadline.left(), [&] { return poller.wake; });
      poller.wake = false;
      lock.unlock();
      got = look(queues, event, which);
    }
    for (EventQueue* queue : queues) queue->leave(poller);
    return got;
  }
  void join(Poller& poller) {
    const std::lock_guard lock(mutex_);
    pollers_.push_back(&poller);
  }
  void leave(Poller& poller) {
    const std::lock_guard lock(mutex_);
    std::erase(pollers_, &poller);
  }

  Lnet& lnet_;
  const std::uint32_t count_;
  const Handler handler_;
  std::atomic<std::uint32_t> mds_{0};  // MDs that name this queue: counted without a lock
  std::mutex mutex_;                   // guards the rest
  const std::unique_ptr<Slot[]> ring_;
  std::uint32_t first_ = 0;
  std::uint32_t used_ = 0;
  bool lost_ = false;
  std::vector<Poller*> pollers_;
};

}  // namespace ulnet
