// Finds the resources of the machine that a laboratory needs: memory, addresses on loopback, a
// port.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Bytes that programs can still allocate, by the limits of the machine and of this process's
/// control group.
std::uint64_t available_memory();
/// Checks that this many nodes fit into `available` bytes. -ENOMEM, with the numbers, if they do
/// not.
Result<void> check_memory(std::size_t nodes, std::uint64_t available);

/// Returns the second numbers of loopback addresses 127.L.x.y that have a listener or a connection,
/// from the text of /proc/net/tcp.
std::set<std::uint8_t> loopbacks_in_use(std::string_view tcp_table);
/// The range of numbers that a laboratory may use.
inline constexpr std::uint8_t kFirstNumber = 16, kLastNumber = 250;
/// Finds a number that is neither in use nor in `taken`; `name` decides where the search begins.
/// -EADDRINUSE: all numbers are in use.
Result<std::uint8_t> free_number(const std::set<std::uint8_t>& taken, std::string_view name);

/// Finds a TCP port on which nobody listens at any address, and which is outside of the ports that
/// the system assigns to connections.
Result<std::uint16_t> free_port(std::string_view name);

}  // namespace ulnet::tools::lab
