// Where on the machine a laboratory finds room: memory, addresses on loopback, a port.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Bytes that programs can still have, as the machine and this process's control group say.
std::uint64_t available_memory();
/// -ENOMEM, with the numbers: so many nodes do not fit into `available` bytes.
Result<void> check_memory(std::size_t nodes, std::uint64_t available);

/// The second numbers of loopback addresses 127.L.x.y on which anybody listens or talks, of the
/// text of /proc/net/tcp.
std::set<std::uint8_t> loopbacks_in_use(std::string_view tcp_table);
/// The numbers that a laboratory may have are these.
inline constexpr std::uint8_t kFirstNumber = 16, kLastNumber = 250;
/// One that is neither in use nor in `taken`; it depends on `name` where the search begins.
/// -EADDRINUSE: there is none.
Result<std::uint8_t> free_number(const std::set<std::uint8_t>& taken, std::string_view name);

/// A TCP port on which nobody listens at any address, outside of those that the system gives to
/// connections.
Result<std::uint16_t> free_port(std::string_view name);

}  // namespace ulnet::tools::lab
