// The buffers of a router: a pool for each size, in each shard. A buffer keeps the payload of a
// message between receiving and forwarding it. Source: spec/core-semantics.md 10.3.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/limits.h"
#include "lnet/core/path/credit.h"

namespace ulnet::core {

/// Buffers of one size. They are allocated at first use, up to the pool's size, and kept for the
/// next messages.
class RouterPool {
 public:
  explicit RouterPool(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

  /// Takes a buffer for the message. True: the message has a buffer now. False: it waits in the
  /// queue of gate().
  bool take(Msg& msg);
  /// Takes back the buffer of `msg`. Returns the message that has waited longest, which has a
  /// buffer now; null: no message waits.
  Msg* give(Msg& msg);
  /// Removes a waiting message from the queue.
  void leave(Msg& msg) { gate_.leave(msg); }
  /// Changes the number of buffers. Surplus buffers are freed at once, those in use when messages
  /// return them. Then the caller has to call wake() until it returns null.
  void resize(std::int32_t buffers);
  /// As Gate::wake(): the message returned has a buffer.
  Msg* wake() { return equip(gate_.wake()); }

  const Gate& gate() const { return gate_; }
  Gate& gate() { return gate_; }
  std::size_t buffer_bytes() const { return buffer_bytes_; }
  /// Buffers that are allocated, used or not.
  std::int32_t allocated() const { return allocated_; }

 private:
  Msg* equip(Msg* msg);

  const std::size_t buffer_bytes_;
  Gate gate_{0};
  std::vector<std::unique_ptr<RouterBuffer>> free_;
  std::int32_t allocated_ = 0;
};

/// The pools of a shard.
class RouterPools {
 public:
  enum Kind : std::uint8_t { kTiny, kSmall, kLarge, kKinds };
  static constexpr std::size_t kPageBytes = 4096;

  /// The smallest pool whose buffers can take the payload.
  static Kind kind_for(std::uint32_t payload) {
    return payload == 0 ? kTiny : payload <= kPageBytes ? kSmall : kLarge;
  }
  RouterPool& for_payload(std::uint32_t payload) { return pools_[kind_for(payload)]; }
  RouterPool& operator[](Kind kind) { return pools_[kind]; }
  const RouterPool& operator[](Kind kind) const { return pools_[kind]; }

 private:
  std::array<RouterPool, kKinds> pools_{RouterPool(0), RouterPool(kPageBytes),
                                        RouterPool(limits::kMtu)};
};

/// The number of buffers in each pool of a shard, from a number for the whole node (0: the
/// default).
constexpr std::int32_t buffers_of_shard(std::int32_t configured, std::int32_t otherwise,
                                        std::uint32_t shards) {
  const std::int32_t all = configured > 0 ? configured : otherwise;
  return std::max(all / static_cast<std::int32_t>(shards), 1);
}

}  // namespace ulnet::core
