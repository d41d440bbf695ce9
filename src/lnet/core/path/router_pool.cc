// Gives the buffers of a router to messages, takes them back, and changes the size of a pool.
// Source: spec/core-semantics.md 10.3.
#include "lnet/core/path/router_pool.h"

#include <utility>

#include "lnet/base/assert.h"

namespace ulnet::core {

bool RouterPool::take(Msg& msg) {
  if (!gate_.take(msg)) return false;
  equip(&msg);
  return true;
}

void RouterPool::resize(std::int32_t buffers) {
  // No buffer was ever taken, or the pool had none: then the minimum begins at the new number.
  const bool unused = gate_.min() == gate_.max() || gate_.max() == 0;
  gate_.resize(buffers);
  if (unused) gate_.reset_min();
  while (allocated_ > buffers && !free_.empty()) {
    free_.pop_back();
    --allocated_;
  }
}

Msg* RouterPool::equip(Msg* msg) {
  if (msg == nullptr || buffer_bytes_ == 0) return msg;
  if (free_.empty()) {
    ++allocated_;
    msg->buffer = std::make_unique<RouterBuffer>(buffer_bytes_);
  } else {
    msg->buffer = std::move(free_.back());
    free_.pop_back();
  }
  return msg;
}

Msg* RouterPool::give(Msg& msg) {
  if (buffer_bytes_ != 0) {
    ULNET_ASSERT(msg.buffer != nullptr);
    resize(gate_.max());  // frees surplus buffers
    free_.push_back(std::move(msg.buffer));
    // The host may have to copy a short payload into this buffer in this step, although its message
    // has ended. So a surplus buffer of that size is freed when the next one is returned.
    if (buffer_bytes_ > limits::kCopyAtOnce) resize(gate_.max());
  }
  return equip(gate_.give());
}

}  // namespace ulnet::core
