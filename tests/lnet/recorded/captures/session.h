// Decodes a recorded connection into LNet's structures: requests, hellos, frames, headers,
// payloads. For tests only.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "lnet/wire/acceptor.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/ksock_hello.h"
#include "lnet/wire/lnet_header.h"
#include "tests/lnet/recorded/captures/pcap.h"

namespace ulnet::capture {

struct Noop {
  wire::Frame frame;
};
/// An LNET frame with its message. Version 1 has no frame.
struct Message {
  wire::Frame frame;
  wire::LnetHeader header;
  ByteView payload;
};

/// One structure of a stream. Its views point into the Connection.
struct Unit {
  Duration at{};  ///< when its last byte became readable
  ByteView bytes;
  std::variant<wire::AcceptorRequest, wire::ReceivedHello, Noop, Message> what;
};

struct Session {
  std::uint32_t version = 0;  ///< version of the framing; 0: the handshake failed
  std::vector<Unit> to_server;
  std::vector<Unit> to_client;
  /// Why decoding stopped before the end of each stream; empty: it reached the end.
  std::string error_to_server;
  std::string error_to_client;
};

/// Decodes both streams. A connection whose start was not recorded counts as version 4 between
/// IPv6 addresses, else as 3. The connection must outlive the session.
Session decode_session(const Connection& connection);

/// The connections of a recording, tests/data/captures/NAME.pcap.
std::vector<Connection> recording(const std::string& name);

/// A message of LNet in a recording, from one of two neighbours to the other.
struct Recorded {
  Duration at{};
  Endpoint from, to;
  wire::LnetHeader header;
  std::vector<std::byte> payload;
};
/// All messages of a recording, in the order of their last bytes. Those that came at the same time
/// are in the order of their connections.
std::vector<Recorded> messages_of(const std::string& name);

/// Encodes the unit's values; compare with Unit::bytes.
std::vector<std::byte> encode_unit(const Unit& unit, std::uint32_t version);

}  // namespace ulnet::capture
