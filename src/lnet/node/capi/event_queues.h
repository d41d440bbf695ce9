// The C interface's event queues and handlers, by handle. Each queue has its own lock, which is
// held for little longer than it takes to copy a pointer.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "lnet/lnd/spin_lock.h"
#include "ulnet/event_queue.hpp"
#include "ulnet/lnet.h"

namespace ulnet::capi {

/// Calls a C handler. The process has one for each handler function that was ever used, so that
/// making an MD allocates nothing.
class HandlerSink final : public EventSink {
 public:
  explicit HandlerSink(lnet_handler_t fn) : handler_(fn) {}
  void on_event(const Event& event) override;
  lnet_handler_t handler() const { return handler_; }

 private:
  const lnet_handler_t handler_;
};

/// Any thread.
class EventQueues {
 public:
  /// A call's reference to a queue: it keeps the queue alive and counts as a use.
  using Ref = std::shared_ptr<EventQueue>;

  /// Makes a queue and returns the cookie of its handle. -EINVAL: neither room for events nor a
  /// handler. -ENOMEM: no memory, or kMax queues exist.
  Result<std::uint64_t> add(Lnet& lnet, std::uint32_t count, lnet_handler_t handler);
  /// Returns the queue that the handle names; null: it names none.
  Ref find(std::uint64_t cookie);
  /// Removes a queue. -ENOENT: no such queue. -EBUSY: an MD names it, or another call uses it.
  int remove(std::uint64_t cookie);
  /// Removes all queues when the node has ended. A call that uses one may go on using it.
  void clear();

 private:
  static constexpr std::uint32_t kMax = 4096;
  struct Slot {
    lnd::SpinLock lock;  // guards the rest
    std::uint32_t generation = 1;
    Ref queue;
  };
  static std::uint64_t cookie_of(std::uint32_t slot, std::uint32_t generation) {
    return static_cast<std::uint64_t>(generation) << 32 | (slot + 1);
  }
  /// The slot that a handle names; null: no such slot. The slot may hold another queue by now.
  Slot* slot_of(std::uint64_t cookie);

  std::array<Slot, kMax> slots_;
};

/// The sink for a handler function, made on its first use and never deleted. Any thread.
class HandlerSinks {
 public:
  HandlerSink& of(lnet_handler_t handler);

 private:
  static constexpr std::size_t kQuick = 16;  // found without the lock

  std::array<std::atomic<HandlerSink*>, kQuick> quick_{};
  std::mutex mutex_;  // guards all_ and writes to quick_
  std::vector<std::unique_ptr<HandlerSink>> all_;
};

}  // namespace ulnet::capi
