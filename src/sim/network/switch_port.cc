#include "sim/network/switch_port.h"

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::sim {

void SwitchPort::set_rate(std::uint64_t bytes_per_second) {
  ULNET_ASSERT(bytes_per_second != 0);
  rate_ = bytes_per_second;
}

Duration SwitchPort::takes(std::uint32_t bytes) const {
  return Duration(static_cast<std::int64_t>(std::uint64_t{bytes} * 1'000'000'000 / rate_));
}

Instant SwitchPort::send(Instant now, std::uint32_t bytes) {
  ULNET_ASSERT(!cut_);
  for (; !queue_.empty() && queue_.front().leaves <= now; queue_.pop_front())
    queued_ -= queue_.front().bytes;
  free_at_ = std::max(free_at_, now) + takes(bytes);
  busy_ += takes(bytes);
  ++pieces_;
  bytes_ += bytes;
  queue_.push_back({free_at_, bytes});
  queued_ += bytes;
  highest_ = std::max(highest_, queued_);
  return free_at_ + latency_;
}

void SwitchPort::cut(Instant now, bool cut) {
  if (cut_ == cut) return;
  cut_ = cut;
  if (!cut) return;
  ++cuts_;
  const PortCounters sent = counters(now);
  pieces_ = sent.pieces;
  bytes_ = sent.bytes;
  busy_ = sent.busy;
  queue_.clear();
  queued_ = 0;
  free_at_ = std::min(free_at_, now);
}

PortCounters SwitchPort::counters(Instant now) const {
  PortCounters sent{pieces_, bytes_, lost_, highest_, busy_};
  for (const Waiting& each : queue_) {
    if (each.leaves <= now) continue;
    --sent.pieces;
    sent.bytes -= each.bytes;
  }
  if (free_at_ > now) sent.busy -= free_at_ - now;
  return sent;
}

}  // namespace ulnet::sim
