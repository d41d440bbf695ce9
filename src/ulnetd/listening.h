// Finds the sockets of this machine at an address and port where an acceptor wants to listen.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <set>
#include <span>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// The use of a port.
struct PortUse {
  std::set<std::string> listening;  ///< the inodes of sockets that listen
  /// The port had a connection that both sides have closed, or one whose process is gone: TIME-WAIT
  /// and the states before it. The system keeps the port for it, for at most a minute.
  bool ended = false;
};
/// Adds to `use` how the sockets in `table` (/proc/net/tcp or tcp6) use `port` at one of these
/// addresses or at every address. `addresses`: NIDs, of which only the addresses count. If
/// `addresses` is empty, every socket on that port counts.
void add_use(PortUse& use, std::istream& table, std::span<const Nid> addresses, std::uint16_t port);

}  // namespace ulnet::tools
