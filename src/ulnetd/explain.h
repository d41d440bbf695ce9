// Explains errors about ports: which process has the port, and what a user without privileges can
// do. Source: DESIGN.md 5.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// Whether this process may bind ports below 1024: by CAP_NET_BIND_SERVICE, or because the system
/// allows it to all.
bool may_bind_privileged_ports();

/// The places where an acceptor listens. `addresses`: NIDs, of which only the addresses count;
/// empty: the addresses are unknown. `ports`: at least one.
struct AcceptorPlaces {
  std::vector<Nid> addresses;
  std::vector<std::uint16_t> ports;
};
/// The first port that, at one of the addresses, only ended connections hold: no socket can listen
/// there now, but one can within a minute. Nothing: no such port.
std::optional<std::uint16_t> port_of_ended(const AcceptorPlaces& places);

/// Why listening at these places failed with `code` (-EADDRINUSE or -EACCES), and what helps. Empty
/// for any other code, and if the driver's reason says more: no process listens there
/// (accept=none), or this user may not see which process does.
std::string explain_port(int code, const AcceptorPlaces& places);

}  // namespace ulnet::tools
