#include "tests/lnet/recorded/captures/session.h"

#include <map>

namespace ulnet::capture {
namespace {

using wire::DecodeError;

// Reads a stream from its front.
class Walk {
 public:
  Walk(const Stream& stream, std::vector<Unit>& units, std::string& error)
      : stream_(stream), units_(units), error_(error) {}

  ByteView rest() const { return ByteView(stream_.bytes).subspan(at_); }
  bool done() const { return rest().empty() || !error_.empty(); }
  void stop(DecodeError error) { error_ = wire::to_string(error); }

  template <class What>
  void take(std::size_t bytes, What what) {
    const ByteView taken = rest().first(bytes);
    at_ += bytes;
    units_.push_back({time_of(at_ - 1), taken, std::move(what)});
  }

 private:
  Duration time_of(std::size_t byte) const {
    for (const Chunk& chunk : stream_.chunks)
      if (byte < chunk.end) return chunk.at;
    return {};
  }

  const Stream& stream_;
  std::vector<Unit>& units_;
  std::string& error_;
  std::size_t at_ = 0;
};

void walk_request(Walk& walk) {
  const auto bytes = wire::acceptor_bytes(walk.rest());
  const auto request = wire::decode_acceptor(walk.rest());
  if (!request) return walk.stop(request.error().why);
  walk.take(*bytes, *request);
}

// A server that knows neither the protocol nor the version of a request answers with a request
// (spec/wire-socklnd.md 3.3).
bool is_request(ByteView bytes) {
  return bytes.size() >= 4 && wire::acceptor_bytes(bytes.first(4)).has_value();
}

// The hello with its version and byte order; version 0 when it refuses, or is not a hello.
wire::ReceivedHello walk_hello(Walk& walk) {
  wire::ReceivedHello none;
  none.hello.version = 0;
  if (walk.done()) return none;
  const auto bytes = wire::hello_bytes(walk.rest());
  auto received = wire::decode_hello(walk.rest());
  if (!received) {
    walk.stop(received.error());
    return none;
  }
  walk.take(*bytes, *received);
  if (received->hello.is_refusal()) received->hello.version = 0;
  return *received;
}

// Reads a message after `frame_bytes` of framing.
void walk_message(Walk& walk, const wire::Frame& frame, std::size_t frame_bytes,
                  std::uint32_t version) {
  const wire::HeaderForm form = wire::header_form(version);
  const ByteView rest = walk.rest().subspan(frame_bytes);
  const auto header = wire::decode_header(rest, form);
  if (!header) return walk.stop(header.error());
  const std::size_t head = wire::header_bytes(form);
  if (rest.size() - head < header->payload_length) return walk.stop(DecodeError::kTruncated);
  walk.take(frame_bytes + head + header->payload_length,
            Message{frame, *header, rest.subspan(head, header->payload_length)});
}

void walk_messages(Walk& walk, std::uint32_t version, Order order) {
  while (!walk.done()) {
    if (version == 1) {
      walk_message(walk, {}, 0, version);
      continue;
    }
    const auto frame = wire::decode_frame(walk.rest(), order);
    if (!frame) return walk.stop(frame.error());
    if (frame->type == wire::FrameType::kNoop) {
      walk.take(wire::kFrameBytes, Noop{*frame});
    } else {
      walk_message(walk, *frame, wire::kFrameBytes, version);
    }
  }
}

bool is_ip6(const Endpoint& end) { return end.address.find(':') != std::string::npos; }

}  // namespace

Session decode_session(const Connection& connection) {
  Session session;
  Walk up(connection.to_server, session.to_server, session.error_to_server);
  Walk down(connection.to_client, session.to_client, session.error_to_client);
  Order up_order = Order::kLittle;
  Order down_order = Order::kLittle;
  if (connection.from_start) {
    if (!up.done()) walk_request(up);
    up_order = walk_hello(up).order;
    if (is_request(down.rest())) walk_request(down);
    const wire::ReceivedHello answer = walk_hello(down);
    down_order = answer.order;
    // The connection uses the version of the answer (spec/wire-socklnd.md 4.4).
    session.version = answer.hello.version;
    if (session.version == 0) return session;
  } else {
    session.version = is_ip6(connection.client) ? 4 : 3;
  }
  walk_messages(up, session.version, up_order);
  walk_messages(down, session.version, down_order);
  return session;
}

std::vector<Connection> recording(const std::string& name) {
  return read_capture(ULNET_SOURCE_DIR "/tests/data/captures/" + name + ".pcap").value();
}

std::vector<Recorded> messages_of(const std::string& name) {
  std::multimap<Duration, Recorded> by_time;
  for (const Connection& connection : recording(name)) {
    const Session session = decode_session(connection);
    const auto take = [&](const std::vector<Unit>& units, const Endpoint& from,
                          const Endpoint& to) {
      for (const Unit& unit : units)
        if (const auto* message = std::get_if<Message>(&unit.what))
          by_time.emplace(unit.at, Recorded{unit.at,
                                            from,
                                            to,
                                            message->header,
                                            {message->payload.begin(), message->payload.end()}});
    };
    take(session.to_server, connection.client, connection.server);
    take(session.to_client, connection.server, connection.client);
  }
  std::vector<Recorded> all;
  for (auto& [at, message] : by_time) all.push_back(std::move(message));
  return all;
}

std::vector<std::byte> encode_unit(const Unit& unit, std::uint32_t version) {
  std::vector<std::byte> bytes;
  if (const auto* request = std::get_if<wire::AcceptorRequest>(&unit.what)) {
    bytes.resize(wire::acceptor_bytes(*request));
    wire::encode_acceptor(*request, bytes);
  } else if (const auto* received = std::get_if<wire::ReceivedHello>(&unit.what)) {
    bytes.resize(wire::hello_bytes(received->hello));
    wire::encode_hello(received->hello, bytes, received->order);
  } else if (const auto* noop = std::get_if<Noop>(&unit.what)) {
    bytes.resize(wire::kFrameBytes);
    wire::encode_frame(noop->frame, bytes);
  } else if (const auto* message = std::get_if<Message>(&unit.what)) {
    const std::size_t framing = version == 1 ? 0 : wire::kFrameBytes;
    bytes.resize(framing + wire::header_bytes(wire::header_form(version)));
    if (framing != 0) wire::encode_frame(message->frame, bytes);
    wire::encode_header(message->header, wire::header_form(version),
                        ByteSpan(bytes).subspan(framing));
    bytes.insert(bytes.end(), message->payload.begin(), message->payload.end());
  }
  return bytes;
}

}  // namespace ulnet::capture
