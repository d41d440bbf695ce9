// The C interface's event queues and handlers, by handle. Finding one takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ulnet/event_queue.hpp"
#include "ulnet/lnet.h"

namespace ulnet::capi {

/// Calls a C handler; one for each handler function that was ever used, so that making an MD
/// allocates nothing.
class HandlerSink final : public EventSink {
 public:
  explicit HandlerSink(lnet_handler_t fn) : handler_(fn) {}
  void on_event(const Event& event) override;
  lnet_handler_t handler() const { return handler_; }

 private:
  const lnet_handler_t handler_;
};

/// Any thread. A queue must not be freed while another thread uses its handle, as with any C
/// handle.
class EventQueues {
 public:
  /// -EINVAL, -ENOMEM (also when kMax queues are there).
  Result<std::uint64_t> add(Lnet& lnet, std::uint32_t count, lnet_handler_t handler);
  /// Null for a handle that names none.
  EventQueue* find(std::uint64_t cookie) const;
  /// -ENOENT, -EBUSY while an MD names it.
  int remove(std::uint64_t cookie);
  /// At the end of the node's life.
  void clear();

 private:
  static constexpr std::uint32_t kMax = 4096;
  struct Slot {
    std::atomic<EventQueue*> queue{nullptr};
    std::atomic<std::uint32_t> generation{1};
  };
  static std::uint64_t cookie_of(std::uint32_t slot, std::uint32_t generation) {
    return static_cast<std::uint64_t>(generation) << 32 | (slot + 1);
  }

  std::mutex changing_;  // add, remove and clear exclude each other
  std::array<Slot, kMax> slots_;
};

/// The sink for a handler function, made on its first use and kept for good. Any thread.
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
