#include "lnet/node/capi/event_queues.h"

#include "lnet/node/capi/translate.h"

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
  auto made = EventQueue::create(lnet, count, std::move(call));
  if (!made) return tl::unexpected<Error>(made.error());
  Ref queue = *std::move(made);
  for (std::uint32_t i = 0; i < kMax; ++i) {
    Slot& slot = slots_[i];
    const std::lock_guard lock(slot.lock);
    if (slot.queue != nullptr) continue;
    slot.queue = std::move(queue);
    return cookie_of(i, slot.generation);
  }
  return fail(-ENOMEM, "too many event queues");
}

EventQueues::Slot* EventQueues::slot_of(std::uint64_t cookie) {
  const std::uint32_t slot = static_cast<std::uint32_t>(cookie) - 1;
  return slot < kMax ? &slots_[slot] : nullptr;
}

EventQueues::Ref EventQueues::find(std::uint64_t cookie) {
  Slot* slot = slot_of(cookie);
  if (slot == nullptr) return nullptr;
  const std::lock_guard lock(slot->lock);
  return slot->generation == cookie >> 32 ? slot->queue : nullptr;
}

int EventQueues::remove(std::uint64_t cookie) {
  Slot* slot = slot_of(cookie);
  if (slot == nullptr) return -ENOENT;
  Ref queue;
  const std::lock_guard lock(slot->lock);
  if (slot->queue == nullptr || slot->generation != cookie >> 32) return -ENOENT;
  // A call takes its reference under this lock, and keeps it until the MD that the call makes is
  // counted. So when the slot's reference is the only one, no call uses the queue.
  if (slot->queue.use_count() != 1) return -EBUSY;
  // Drops a reference, so that writes become visible here that other threads made before they
  // dropped their references.
  Ref(slot->queue).reset();
  if (slot->queue->in_use()) return -EBUSY;
  queue = std::move(slot->queue);
  ++slot->generation;
  return 0;
}

void EventQueues::clear() {
  for (Slot& slot : slots_) {
    Ref queue;
    const std::lock_guard lock(slot.lock);
    if (slot.queue == nullptr) continue;
    queue = std::move(slot.queue);
    ++slot.generation;
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
