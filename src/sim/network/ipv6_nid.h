// NIDs of simulated nodes on IPv6 nets: each is made from a NID with an IPv4 address.
#pragma once

#include <algorithm>

#include "ulnet/nid.hpp"

namespace ulnet::sim {

/// fd00::N:A, where N is the number of the net and A the IPv4 address.
inline Nid in_ipv6(const Nid& nid) {
  std::array<std::uint8_t, 16> address{};
  address[0] = 0xfd;
  std::ranges::copy(nid.num_be, address.begin() + 10);
  std::copy_n(nid.addr.begin(), 4, address.begin() + 12);
  return Nid::large(nid.net(), address);
}
/// The NID with this IPv4 address; or, if `like` is on an IPv6 net, the IPv6 NID that in_ipv6()
/// makes from it.
inline Nid nid_like(const Nid& like, NetId net, std::uint32_t address) {
  const Nid nid = Nid::small(net, address);
  return like.is_small() ? nid : in_ipv6(nid);
}

}  // namespace ulnet::sim
