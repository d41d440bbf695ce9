// Event queues. The Lnet puts the events of MDs into a ring, and the program fetches them, as in
// the first LNet interface. A handler may get each event too. Source: spec/core-semantics.md 5.1.
//
// Header only, because it works with every Lnet: a real node and a simulated one. Events of one MD
// keep their order. When `count` events wait already, the queue keeps them and loses each new one.
// The next event that it stores is marked as following a loss.
//
// The node may be destroyed before the queue. Events that wait then can still be fetched; after
// them every call returns Got::kNodeGone. Destroying the node wakes the threads that wait.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "ulnet/cxx20.hpp"
#include "ulnet/lifetime.hpp"
#include "ulnet/lnet.hpp"

namespace ulnet {

class EventQueue final : public EventSink, private Lifetime::Dependent {
 public:
  using Handler = std::function<void(const Event&)>;
  enum class Got : std::uint8_t {
    kNothing,
    kEvent,
    kEventAfterLoss,  ///< an event before which at least one was lost; once for each loss
    kNodeGone,        ///< no event, and none will come: the node was destroyed
  };
  static constexpr std::chrono::nanoseconds kForever{-1};

  /// A queue with room for `count` events; 0: events only go to `handler`. The Lnet calls
  /// `handler` with each event before it enters the queue; the handler must neither block nor
  /// throw. `lnet` may be destroyed before the queue. -EINVAL: neither a count nor a handler.
  /// -ENOMEM. Any thread.
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
  /// No thread may be in a call of this queue. If an MD of a living node still names the queue
  /// (see in_use()), this prints a message and ends the program (std::abort), because that MD's
  /// events would be written into freed memory.
  ~EventQueue() override {
    if (lifetime_) lifetime_->remove(*this);
    mutex_.lock();  // push() may have counted the last MD's end and may still hold the mutex
    mutex_.unlock();
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!in_use()) return;
    std::fputs("ulnet: an EventQueue is destroyed while an MD names it: unlink the MD first\n",
               stderr);
    std::abort();
  }

  /// True while an MD names this queue, which must not be destroyed then (LNetEQFree returns
  /// -EBUSY). Any thread.
  bool in_use() const { return mds_.load(std::memory_order_acquire) != 0; }

  /// Fetches the oldest event, if there is one; never waits. `event` is written only when an
  /// event is returned. Any thread.
  Got get(Event& event) {
    const std::lock_guard lock(mutex_);
    return pop(event);
  }
  /// Fetches the oldest event; waits until there is one, or until the node is destroyed. Inside a
  /// handler it does not wait, but looks once. Any thread.
  Got wait(Event& event) {
    EventQueue* self = this;
    std::size_t which = 0;
    return poll(std::span(&self, 1), kForever, event, which);
  }
  /// Waits for the first event in any of `queues`, which belong to one Lnet and are looked at in
  /// this order; sets `which` to the index of the event's queue. A `timeout` of 0 looks once; a
  /// negative one waits forever; one above a year counts as a year. In inline mode this moves bytes
  /// and runs handlers while it waits. Inside a handler it looks once, whatever the time-out.
  /// kNothing: the time has passed, or `queues` is empty. Any thread.
  static Got poll(std::span<EventQueue* const> queues, std::chrono::nanoseconds timeout,
                  Event& event, std::size_t& which) {
    if (queues.empty()) return Got::kNothing;
    const Got got = look(queues, event, which);
    if (got != Got::kNothing) return got;
    EventQueue& first = *queues.front();
    if (first.must_not_wait()) return look(queues, event, which);
    const Deadline deadline(timeout);
    return first.polled_ ? poll_inline(queues, deadline, event, which)
                         : poll_waiting(queues, deadline, event, which);
  }

  /// A descriptor for poll(), epoll or an event loop: it can be read (POLLIN) as long as get()
  /// would return something other than kNothing, so an edge-triggered loop calls get() until it
  /// returns that. The first call makes it. The queue owns it: the program only watches it, neither
  /// reads nor closes it, and stops watching it before the queue is destroyed. -EINVAL: a queue
  /// without room for events. -EOPNOTSUPP: inline mode, where events come only inside progress()
  /// and calls that wait, and none would come while the program watches the descriptor. -EMFILE,
  /// -ENFILE, -ENOMEM. Any thread.
  Result<int> descriptor() {
    if (count_ == 0) return fail(-EINVAL, "an event queue without a size has no descriptor");
    if (polled_)
      return fail(-EOPNOTSUPP,
                  "in inline mode no event comes while the program waits on a descriptor");
    const std::lock_guard lock(mutex_);
    if (descriptor_ < 0) {
      descriptor_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      if (descriptor_ < 0) return fail(-errno, "no descriptor for the event queue");
      show_readiness();
    }
    return descriptor_;
  }

  // EventSink: the Lnet calls these.
  void on_event(const Event& event) override {
    if (handler_) handler_(event);
    if (count_ != 0)
      push(event);
    else if (event.unlinked)
      md_ended();  // last: the queue may be destroyed from here on
  }
  void md_added() override { mds_.fetch_add(1, std::memory_order_relaxed); }
  void md_refused() override { md_ended(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    Event event;
    bool after_loss = false;
  };
  /// A thread that waits in poll(); the object lives on that thread's stack.
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
      : lnet_(lnet),
        polled_(lnet.polled()),
        lifetime_(lnet.lifetime()),
        count_(count),
        handler_(std::move(handler)),
        ring_(std::move(ring)) {
    if (lifetime_) lifetime_->add_late(*this);
  }

  std::shared_ptr<void> lnet_gone() override {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    mds_.store(0, std::memory_order_release);
    wake_pollers();
    show_readiness();
    return nullptr;
  }
  /// Does nothing when the count is 0 already: lnet_gone() clears it. The count is 0 when the call
  /// that makes an MD runs a handler, the handler destroys the Lnet, and the call then fails.
  void md_ended() {
    std::uint32_t mds = mds_.load(std::memory_order_relaxed);
    while (mds != 0 && !mds_.compare_exchange_weak(mds, mds - 1, std::memory_order_release,
                                                   std::memory_order_relaxed)) {
    }
  }
  /// A thread that has fetched an MD's last event may destroy the queue. So the MD is no longer
  /// counted when that event can be fetched.
  void push(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (event.unlinked) md_ended();
    if (used_ == count_) {
      lost_ = true;
      return;
    }
    ring_[(first_ + used_++) % count_] = Slot{event, std::exchange(lost_, false)};
    wake_pollers();
    show_readiness();
  }
  /// Makes the descriptor readable if an event waits or the node is gone, else not readable.
  void show_readiness() {
    const bool ready = used_ != 0 || gone_;
    if (descriptor_ < 0 || ready == readable_) return;
    readable_ = ready;
    ::eventfd_t count = 1;
    (void)(ready ? ::eventfd_write(descriptor_, count) : ::eventfd_read(descriptor_, &count));
  }
  void wake_pollers() {
    for (Poller* poller : pollers_) {
      const std::lock_guard poller_lock(poller->mutex);
      poller->wake = true;
      poller->woken.notify_one();
    }
  }
  Got pop(Event& event) {
    if (used_ == 0) return gone_ ? Got::kNodeGone : Got::kNothing;
    const Slot& slot = ring_[first_];
    event = slot.event;
    first_ = (first_ + 1) % count_;
    --used_;
    show_readiness();
    return slot.after_loss ? Got::kEventAfterLoss : Got::kEvent;
  }
  static Got look(std::span<EventQueue* const> queues, Event& event, std::size_t& which) {
    Got nothing = Got::kNothing;
    for (which = 0; which < queues.size(); ++which) {
      const Got got = queues[which]->get(event);
      if (got == Got::kEvent || got == Got::kEventAfterLoss) return got;
      nothing = got;
    }
    which = 0;
    return nothing;
  }
  static Got poll_inline(std::span<EventQueue* const> queues, const Deadline& deadline,
                         Event& event, std::size_t& which) {
    while (true) {
      const bool last = deadline.over();
      queues.front()->lnet_.progress(last ? std::chrono::nanoseconds(0) : deadline.left());
      const Got got = look(queues, event, which);
      if (got != Got::kNothing || last) return got;
    }
  }
  static Got poll_waiting(std::span<EventQueue* const> queues, const Deadline& deadline,
                          Event& event, std::size_t& which) {
    if (deadline.over()) return Got::kNothing;
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
  /// True inside a handler, and when no event will come. The mutex keeps the node from being
  /// destroyed during the call of in_handler().
  bool must_not_wait() {
    const std::lock_guard lock(mutex_);
    return gone_ || lnet_.in_handler();
  }
  void join(Poller& poller) {
    const std::lock_guard lock(mutex_);
    pollers_.push_back(&poller);
  }
  void leave(Poller& poller) {
    const std::lock_guard lock(mutex_);
    std::erase(pollers_, &poller);
  }

  Lnet& lnet_;  // valid until gone_ is set
  const bool polled_;
  const std::shared_ptr<Lifetime> lifetime_;
  const std::uint32_t count_;
  const Handler handler_;
  std::atomic<std::uint32_t> mds_{0};  // the MDs that name this queue; not guarded by mutex_
  std::mutex mutex_;                   // guards the rest
  const std::unique_ptr<Slot[]> ring_;
  std::uint32_t first_ = 0;
  std::uint32_t used_ = 0;
  bool lost_ = false;
  bool gone_ = false;
  int descriptor_ = -1;    // an eventfd
  bool readable_ = false;  // the descriptor can be read
  std::vector<Poller*> pollers_;
};

}  // namespace ulnet
