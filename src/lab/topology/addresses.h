// Gives a laboratory's NIs their addresses, once it is known where the laboratory runs.
#pragma once

#include <cstdint>
#include <string>

#include "lab/topology/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Returns the bases of addresses, in the machine's byte order: 127.NUMBER.0.0, 10.77.0.0.
constexpr std::uint32_t loopback_base(std::uint8_t number) {
  return 127U << 24 | static_cast<std::uint32_t>(number) << 16;
}
inline constexpr std::uint32_t kNamespaceBase = 10U << 24 | 77U << 16;

/// Returns "127.16.0.1".
std::string address_text(std::uint32_t address);
/// Parses four numbers with dots, each up to 255. -EINVAL.
Result<std::uint32_t> parse_address(std::string_view text);

/// Whether one host can have the address: it is not multicast, not broadcast, and not in 0/8.
constexpr bool is_host_address(std::uint32_t address) {
  return address >= 1U << 24 && address < 224U << 24;
}

/// Gives every NI an address, unless the file gives them. The first net begins in the block of 256
/// addresses at `base`; net k begins in the block after the last address of net k - 1. The NIs of a
/// net follow each other in the order of the nodes, from 1. No address ends with 0 or 255. -E2BIG:
/// the NIs do not fit into the 65,536 addresses from `base`; the topology is then unchanged. `base`
/// must be a multiple of 65,536.
Result<void> give_addresses(Topology& topology, std::uint32_t base);

/// Checks that the file's addresses can be used on loopback: each must be in 127/8. -EINVAL, with
/// the node.
Result<void> fit_loopback(const Topology& topology);
/// Checks that the file's addresses can be used in namespaces: none may be in 127/8. -EINVAL, with
/// the node.
Result<void> fit_namespaces(const Topology& topology);

}  // namespace ulnet::tools::lab
