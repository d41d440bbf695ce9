// Network addresses of the connection machines: numbers, without the system's socket types.
// Source: spec/wire-socklnd.md 2 (a peer's address is the address part of its NID, nothing else).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::lnd::sock {

enum class Family : std::uint8_t { kIpv4, kIpv6 };

struct Address {
  Family family = Family::kIpv4;
  std::array<std::uint8_t, 16> bytes{};  ///< network order; IPv4 in the first four

  bool is_loopback() const {
    if (family == Family::kIpv4) return bytes[0] == 127;
    for (std::size_t i = 0; i < 15; ++i)
      if (bytes[i] != 0) return false;
    return bytes[15] == 1;
  }
  /// fe80::/10: an address that means something only together with a device.
  bool is_link_local() const {
    return family == Family::kIpv6 && bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
  }
  bool is_any() const { return bytes == std::array<std::uint8_t, 16>{}; }
  std::string to_string() const;
  auto operator<=>(const Address&) const = default;
};

struct Endpoint {
  Address address;
  std::uint16_t port = 0;
  std::string to_string() const;
  auto operator<=>(const Endpoint&) const = default;
};

/// True for a port that only a privileged program can bind (spec/wire-socklnd.md 2.1).
constexpr bool is_privileged_port(std::uint16_t port) { return port <= 1023; }

/// The address in a NID of a tcp net; nothing for other nets and impossible sizes.
std::optional<Address> address_of(const Nid& nid);
Nid nid_at(NetId net, const Address& address);

/// Reads an address in numbers: "10.0.0.1", "fd99::1". Nothing for a name, and for an address
/// with a scope ("fe80::1%eth0").
std::optional<Address> parse_address(const std::string& text);

}  // namespace ulnet::lnd::sock
