// How much of something limited each peer address has: descriptors, memory. One host can claim many
// NIDs but has few addresses, so a limit per address bounds what a host can take.
#pragma once

#include <cstdint>
#include <map>

#include "lnet/lnd/sock/engine/address.h"

namespace ulnet::lnd::sock {

enum class Share : std::uint8_t {
  kTaken,
  kAddressFull,  ///< this address has all that one address may have
  kAllFull,      ///< all addresses together have all that there is
};

/// One thread at a time. Its memory and the time of a call depend on how many addresses have taken
/// something.
class AddressShares {
 public:
  struct Limits {
    std::uint64_t one = ~std::uint64_t{0};  ///< what one address may have
    std::uint64_t all = ~std::uint64_t{0};  ///< what all addresses together may have
  };
  /// Takes `amount` for an address if that stays within the limits.
  Share take(const Address& address, std::uint64_t amount, const Limits& limits);
  /// Gives back what was taken for the address.
  void give(const Address& address, std::uint64_t amount);

  std::uint64_t all() const { return all_; }
  std::uint64_t of(const Address& address) const;

 private:
  std::map<Address, std::uint64_t> taken_;  ///< those that have something
  std::uint64_t all_ = 0;
};

}  // namespace ulnet::lnd::sock
