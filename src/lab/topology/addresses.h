// Gives a laboratory's NIs their addresses, when it is known where it runs.
#pragma once

#include <cstdint>
#include <string>

#include "lab/topology/topology.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// The bases of addresses, in the machine's order: 127.NUMBER.0.0, 10.77.0.0.
constexpr std::uint32_t loopback_base(std::uint8_t number) {
  return 127U << 24 | static_cast<std::uint32_t>(number) << 16;
}
inline constexpr std::uint32_t kNamespaceBase = 10U << 24 | 77U << 16;

/// "127.16.0.1".
std::string address_text(std::uint32_t address);
/// Four numbers with dots, each up to 255. -EINVAL.
Result<std::uint32_t> parse_address(std::string_view text);

/// An address that one host can have: no multicast or broadcast, and not of 0/8.
constexpr bool is_host_address(std::uint32_t address) {
  return address >= 1U << 24 && address < 224U << 24;
}

/// Gives every NI an address, unless the file gives them. Net k begins in the block of 256 after
/// the last address of net k - 1, the first in that of `base`, and its NIs follow each other in the
/// order of the nodes, from 1. No address ends with 0 or 255. -E2BIG: they do not fit into the
/// 65,536 addresses from `base`, which a multiple of that must be. The topology is unchanged then.
Result<void> give_addresses(Topology& topology, std::uint32_t base);

/// Whether the file's addresses can be had on loopback: each is in 127/8. -EINVAL, with the node.
Result<void> fit_loopback(const Topology& topology);
/// Whether they can be had in namespaces: none is in 127/8. -EINVAL, with the node.
Result<void> fit_namespaces(const Topology& topology);

}  // namespace ulnet::tools::lab
