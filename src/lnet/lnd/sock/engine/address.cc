#include "lnet/lnd/sock/engine/address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace ulnet::lnd::sock {
namespace {

int system_family(Family family) { return family == Family::kIpv4 ? AF_INET : AF_INET6; }

}  // namespace

std::string Address::to_string() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(system_family(family), bytes.data(), text, sizeof text);
  return text;
}

std::string Endpoint::to_string() const {
  const std::string port_text = std::to_string(port);
  if (address.family == Family::kIpv4) return address.to_string() + ":" + port_text;
  return "[" + address.to_string() + "]:" + port_text;
}

std::optional<Address> address_of(const Nid& nid) {
  if (nid.type != static_cast<std::uint8_t>(NetType::kTcp)) return std::nullopt;
  Address address;
  if (nid.size == 0) {
    std::copy_n(nid.addr.begin(), 4, address.bytes.begin());
    return address;
  }
  if (nid.size != 12) return std::nullopt;
  address.family = Family::kIpv6;
  address.bytes = nid.addr;
  return address;
}

Nid nid_at(NetId net, const Address& address) {
  if (address.family == Family::kIpv6) return Nid::large(net, address.bytes);
  Nid nid = Nid::small(net, 0);
  std::copy_n(address.bytes.begin(), 4, nid.addr.begin());
  return nid;
}

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) return address;
  address.family = Family::kIpv6;
  if (inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

}  // namespace ulnet::lnd::sock
