// Finds the sockets of this machine that listen where an acceptor wants to.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <set>
#include <span>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// The inodes of the sockets in `table` (/proc/net/tcp or tcp6) that listen on `port` at one of
/// these addresses or at every address. The NIDs stand for their addresses; with none every
/// socket on that port counts.
std::set<std::string> listening_inodes(std::istream& table, std::span<const Nid> addresses,
                                       std::uint16_t port);

}  // namespace ulnet::tools
