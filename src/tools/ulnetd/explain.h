// Words for what goes wrong with ports: who has it, and what a user without rights can do. Source:
// DESIGN.md 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// May this process bind ports below 1024? (CAP_NET_BIND_SERVICE, or the system lets everybody.)
bool may_bind_privileged_ports();

/// Why listening on the acceptor's port of these addresses failed with `code` (-EADDRINUSE,
/// -EACCES), and what helps; empty for another code. NIDs stand for their addresses; none: unknown.
std::string explain_port(int code, std::span<const Nid> addresses, std::uint16_t port);

}  // namespace ulnet::tools
