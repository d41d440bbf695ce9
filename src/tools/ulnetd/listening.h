// Which sockets of this machine listen where an acceptor wants to.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <set>
#include <span>
#include <string>

#include "ulnet/nid.hpp"

namespace ulnet::tools {

/// The inodes of the sockets in `table` (/proc/net/tcp or tcp6) that listen on the port of one of
/// these addresses, or of every address; NIDs stand for their addresses, without any all count.
std::set<std::string> listening_inodes(std::istream& table, std::span<const Nid> addresses,
                                       std::uint16_t port);

}  // namespace ulnet::tools
