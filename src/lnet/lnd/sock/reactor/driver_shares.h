// What all reactors of a driver share: the connections that peers have opened, and the memory for
// payload that is held. Any thread.
#pragma once

#include <mutex>

#include "lnet/base/memory_budget.h"
#include "lnet/lnd/memory_short.h"
#include "lnet/lnd/sock/engine/address_shares.h"

namespace ulnet::lnd::sock {

class DriverShares {
 public:
  /// `memory` must outlive this.
  explicit DriverShares(MemoryBudget& memory) : memory_(memory) {}

  Share take_connections(const Address& address, std::uint16_t count,
                         const AddressShares::Limits& limits) {
    const std::lock_guard hold(lock_);
    return connections_.take(address, count, limits);
  }
  void give_connections(const Address& address, std::uint16_t count) {
    const std::lock_guard hold(lock_);
    connections_.give(address, count);
  }
  /// One address may have a quarter of the memory for held payload. While the process is short of
  /// memory, no address gets any: it would take what the reserve has just given back.
  Share take_memory(const Address& address, std::size_t bytes) {
    if (memory_is_short.load(std::memory_order_relaxed)) return Share::kAllFull;
    const std::lock_guard hold(lock_);
    const Share share = held_.take(address, bytes, {.one = memory_.share(kPart) / 4});
    if (share != Share::kTaken || memory_.take(kPart, bytes)) return share;
    held_.give(address, bytes);
    return Share::kAllFull;
  }
  void give_memory(const Address& address, std::size_t bytes) {
    const std::lock_guard hold(lock_);
    held_.give(address, bytes);
    memory_.give(kPart, bytes);
  }

 private:
  static constexpr MemoryPart kPart = MemoryPart::kHeld;

  std::mutex lock_;
  AddressShares connections_, held_;
  MemoryBudget& memory_;
};

}  // namespace ulnet::lnd::sock
