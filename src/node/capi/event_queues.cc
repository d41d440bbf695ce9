#include "node/capi/event_queues.h"

#include "node/capi/translate.h"

namespace ulnet::capi {

void HandlerSink::on_event(const Event& event) {
  const lnet_event c = to_c(event);
  handler_(&c);
}

Result<std::uint64_t> EventQueues::add(Lnet& lnet, std::uint32_t count, lnet_handler_t handler) {
  EventQueue::Handler call;
  if (handler != nullptr)
    call = [handler](const Event& event) {
      const lnet_event c = to_c(event);
      handler(&c);
    };
  auto queue = EventQueue::create(lnet, count, std::move(call));
  if (!queue) return tl::unexpected<Error>(queue.error());
  const std::lock_guard lock(changing_);
  for (std::uint32_t slot = 0; slot < kMax; ++slot) {
    if (slots_[slot].queue.load(std::memory_order_relaxed) != nullptr) continue;
    slots_[slot].queue.store(queue->release(), std::memory_order_release);
    return cookie_of(slot, slots_[slot].generation.load(std::memory_order_relaxed));
  }
  return fail(-ENOMEM, "too many event queues");
}

EventQueue* EventQueues::find(std::uint64_t cookie) const {
  const std::uint32_t slot = static_cast<std::uint32_t>(cookie) - 1;
  if (slot >= kMax) return nullptr;
  if (slots_[slot].generation.load(std::memory_order_relaxed) != cookie >> 32) return nullptr;
  return slots_[slot].queue.load(std::memory_order_acquire);
}

int EventQueues::remove(std::uint64_t cookie) {
  const std::lock_guard lock(changing_);
  EventQueue* queue = find(cookie);
  if (queue == nullptr) return -ENOENT;
  if (queue->in_use()) return -EBUSY;
  Slot& slot = slots_[static_cast<std::uint32_t>(cookie) - 1];
  slot.queue.store(nullptr, std::memory_order_relaxed);
  slot.generation.fetch_add(1, std::memory_order_relaxed);
  delete queue;
  return 0;
}

void EventQueues::clear() {
  const std::lock_guard lock(changing_);
  for (Slot& slot : slots_) {
    EventQueue* queue = slot.queue.exchange(nullptr, std::memory_order_relaxed);
    if (queue == nullptr) continue;
    slot.generation.fetch_add(1, std::memory_order_relaxed);
    delete queue;
  }
}

HandlerSink& HandlerSinks::of(lnet_handler_t handler) {
  for (const auto& known : quick_) {
    HandlerSink* sink = known.load(std::memory_order_acquire);
    if (sink == nullptr) break;
    if (sink->handler() == handler) return *sink;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& sink : all_)
    if (sink->handler() == handler) return *sink;
  all_.push_back(std::make_unique<HandlerSink>(handler));
  if (all_.size() <= kQuick)
    quick_[all_.size() - 1].store(all_.back().get(), std::memory_order_release);
  return *all_.back();
}

}  // namespace ulnet::capi
