#include "tools/demo/slots.h"

#include <chrono>
#include <utility>

namespace ulnet::demo {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

}  // namespace

Slots::Slots(Lnet& lnet, std::uint32_t size) : lnet_(lnet) {
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    slots_[i].index = i;
    slots_[i].memory.resize(size);
  }
}

Result<void> Slots::bind() {
  for (auto& slot : slots_) {
    auto bound = MemoryDescriptor::bind(
        lnet_, slot.memory, {}, [this, &slot](const Event& event) { on_event(slot, event); });
    if (!bound) return tl::unexpected(bound.error());
    slot.md = std::move(*bound);
  }
  return {};
}

Result<void> Slots::run(Begin begin, End end) {
  begin_ = std::move(begin);
  end_ = std::move(end);
  {
    const std::lock_guard lock(mutex_);
    next_sequence_ = 0;
    ended_ = 0;
    busy_ = kSlots;
  }
  for (auto& slot : slots_) begin_next(slot);
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kPatience, [this] { return busy_ == 0 || error_; })) {
    error_ = Error{-ETIMEDOUT, "operations did not end"};
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

void Slots::on_event(Slot& slot, const Event& event) {
  if (event.unlinked || given_up()) return;
  if (event.status != 0) {
    slot.events = 0;
    idle(Error{event.status, "an operation failed"});
    return;
  }
  if (++slot.events < 2) return;
  slot.events = 0;
  {
    const std::lock_guard lock(mutex_);
    ++ended_;
  }
  if (end_) end_(slot.index, slot.sequence);
  begin_next(slot);
}

bool Slots::given_up() {
  const std::lock_guard lock(mutex_);
  return error_.has_value();
}

void Slots::begin_next(Slot& slot) {
  {
    const std::lock_guard lock(mutex_);
    slot.sequence = next_sequence_++;
  }
  auto begun = begin_(slot.index, slot.sequence);
  if (!begun) {
    idle(begun.error());
  } else if (!*begun) {
    idle(std::nullopt);
  }
}

std::uint64_t Slots::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Slots::idle(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  if (error && !error_) error_ = std::move(error);
  --busy_;
  changed_.notify_all();
}

}  // namespace ulnet::demo
