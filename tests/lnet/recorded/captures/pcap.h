// Reads recorded TCP traffic as byte streams: takes a pcap file (Ethernet, IPv4 and IPv6) and puts
// the segments of each connection in order, even if they were retransmitted, duplicated or
// reordered. For tests only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/base/time.h"
#include "ulnet/result.hpp"

namespace ulnet::capture {

struct Endpoint {
  std::string address;  ///< "10.99.0.1", "fd99::1"
  std::uint16_t port = 0;
  auto operator<=>(const Endpoint&) const = default;
};

/// At this time bytes [begin, end) of a stream became readable.
struct Chunk {
  Duration at{};
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Chunk&) const = default;
};

/// The bytes that one side sent.
struct Stream {
  std::vector<std::byte> bytes;
  std::vector<Chunk> chunks;
  std::optional<Duration> fin;
  std::optional<Duration> reset;
  bool incomplete = false;  ///< bytes are missing; `bytes` ends before the first gap
};

/// A TCP connection. Times are since the first packet of the file.
struct Connection {
  Endpoint client;
  Endpoint server;
  Duration opened{};
  bool from_start = false;  ///< the SYN was recorded
  Stream to_server;
  Stream to_client;
};

/// The TCP connections of a recording, in the order in which their first segments appear. Without a
/// recorded SYN the side with `server_port` is the server. -EINVAL when the file is not a pcap file
/// of Ethernet frames. A truncated file counts as ended.
Result<std::vector<Connection>> read_connections(ByteView pcap, std::uint16_t server_port = 988);
/// Reads connections as read_connections() does, from a file; -ENOENT when it does not exist.
Result<std::vector<Connection>> read_capture(const std::string& path,
                                             std::uint16_t server_port = 988);

}  // namespace ulnet::capture
