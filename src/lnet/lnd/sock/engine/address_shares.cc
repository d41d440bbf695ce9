#include "lnet/lnd/sock/engine/address_shares.h"

#include <new>

#include "lnet/base/assert.h"

namespace ulnet::lnd::sock {

Share AddressShares::take(const Address& address, std::uint64_t amount, const Limits& limits) {
  const auto fits = [amount](std::uint64_t taken, std::uint64_t limit) {
    return taken <= limit && amount <= limit - taken;
  };
  if (!fits(of(address), limits.one)) return Share::kAddressFull;
  if (!fits(all_, limits.all)) return Share::kAllFull;
  try {
    taken_[address] += amount;
  } catch (const std::bad_alloc&) {
    return Share::kAllFull;
  }
  all_ += amount;
  return Share::kTaken;
}

void AddressShares::give(const Address& address, std::uint64_t amount) {
  const auto at = taken_.find(address);
  ULNET_ASSERT(at != taken_.end() && at->second >= amount);
  all_ -= amount;
  at->second -= amount;
  if (at->second == 0) taken_.erase(at);
}

std::uint64_t AddressShares::of(const Address& address) const {
  const auto at = taken_.find(address);
  return at == taken_.end() ? 0 : at->second;
}

}  // namespace ulnet::lnd::sock
