// Explains errors about ports: which process has the port, and what a user without privileges can
// do. Source: DESIGN.md 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// This process may bind ports below 1024: by CAP_NET_BIND_SERVICE, or because the system allows
/// it to all.
bool may_bind_privileged_ports();

/// Why listening on the acceptor's port of these addresses failed with `code` (-EADDRINUSE or
/// -EACCES), and what helps; empty for any other code, and if the driver's reason says more: nobody
/// listens there (accept=none), or this user may not look at who does. The NIDs stand for their
/// addresses; with none the addresses are unknown.
std::string explain_port(int code, std::span<const Nid> addresses, std::uint16_t port);

}  // namespace ulnet::tools
