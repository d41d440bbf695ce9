// Finds the sockets of this machine that are where an acceptor wants to listen.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <set>
#include <span>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// Who uses a port.
struct PortUse {
  std::set<std::string> listening;  ///< the inodes of sockets that listen
  /// A connection was there that both sides have closed, or one whose process is gone: TIME-WAIT
  /// and the states before it. The system keeps the port for it, for a minute at most.
  bool ended = false;
};
/// Adds to `use` what the sockets in `table` (/proc/net/tcp or tcp6) do with `port` at one of these
/// addresses or at every address. The NIDs stand for their addresses; with none every socket on
/// that port counts.
void add_use(PortUse& use, std::istream& table, std::span<const Nid> addresses, std::uint16_t port);

}  // namespace ulnet::tools
