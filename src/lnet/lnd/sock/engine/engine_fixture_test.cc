// The implementation of the test bench of engine_fixture.h; it has no tests.
#include "lnet/lnd/sock/engine/engine_fixture.h"

#include <algorithm>
#include <cstring>

namespace ulnet::lnd::sock {

using wire::ConnType;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Bytes put_bytes(const wire::LnetHeader& header, const Bytes& payload, std::uint32_t version,
                wire::Frame frame) {
  Bytes head(wire::header_bytes(wire::header_form(version)));
  wire::encode_header(header, wire::header_form(version), head);
  frame.type = wire::FrameType::kLnet;
  return (version == 1 ? Bytes() : bytes_of(frame)) + head + payload;
}
Bytes noop_bytes(std::uint64_t cookie0, std::uint64_t cookie1) {
  return bytes_of(wire::Frame{wire::FrameType::kNoop, 0, cookie0, cookie1});
}
Bytes text_bytes(const char* text) {
  const auto* from = reinterpret_cast<const std::byte*>(text);
  return {from, from + std::strlen(text)};
}

EngineBench::EngineBench(const char* nid, std::uint8_t id) : engine(id, tunables, *this) {
  self = *Nid::parse(nid);
  peer = *Nid::parse(self.is_small() ? "192.168.1.10@tcp" : "2001:db8::10@tcp");
  ni.id = {1};
  ni.nid = self;
  ni.address = *address_of(self);
  ni.incarnation = 0x17c0ffeeaabbccdd;
  ni.timeout = std::chrono::seconds(50);
  now = Instant(std::chrono::hours(1));
  engine.at(now);
  engine.add_ni(ni);
}
EngineBench::~EngineBench() { engine.remove_ni(ni.id); }

void EngineBench::advance(Duration by) {
  now += by;
  engine.at(now);
  engine.work();
}

Handle EngineBench::accept(const char* address, std::uint16_t port) {
  return engine.accepted({*parse_address(address), port}).value_or(Handle{});
}

void EngineBench::feed(Handle conn, const Bytes& bytes) {
  engine.received(conn, 0, bytes);
  engine.work();
}

void EngineBench::read(Handle conn, const Bytes& bytes, std::size_t chunk) {
  std::size_t at = 0;
  Bytes tail(chunk);
  while (at < bytes.size()) {
    iovec vectors[8];
    std::size_t direct = 0;
    std::size_t ahead = chunk;
    const std::size_t used = engine.read_plan(conn, vectors, 8, direct, ahead);
    std::size_t landed = 0;
    for (std::size_t i = 0; i < used && landed < chunk && at < bytes.size(); ++i) {
      const std::size_t here = std::min({vectors[i].iov_len, chunk - landed, bytes.size() - at});
      std::memcpy(vectors[i].iov_base, bytes.data() + at, here);
      landed += here;
      at += here;
      if (here < vectors[i].iov_len) break;
    }
    std::size_t more = 0;
    if (landed == direct) {
      more = std::min({ahead, chunk - landed, bytes.size() - at});
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), more, tail.begin());
      at += more;
    }
    if (landed + more == 0 || !engine.received(conn, landed, ByteView(tail).first(more))) return;
  }
}

Bytes EngineBench::take(Handle conn) {
  Bytes all;
  for (;;) {
    iovec vectors[16];
    Bytes scratch(4096);
    const std::size_t used = engine.gather(conn, vectors, 16, scratch, 1 << 20);
    if (used == 0) break;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < used; ++i) {
      const auto* from = static_cast<const std::byte*>(vectors[i].iov_base);
      all.insert(all.end(), from, from + vectors[i].iov_len);
      bytes += vectors[i].iov_len;
    }
    engine.written(conn, bytes);
  }
  engine.clear_writable(conn);
  std::erase(engine.writable(), conn);
  engine.work();
  return all;
}

core::MsgTicket EngineBench::put(const core::Hop& to, const Bytes& payload, Instant deadline) {
  payloads_.push_back({payload, {}});
  auto& [bytes, vector] = payloads_.back();
  vector = {bytes.data(), bytes.size()};
  core::Send send;
  send.ni = ni.id;
  send.hop = to;
  send.header = header(static_cast<std::uint32_t>(payload.size()));
  send.header.src_nid = self;
  send.header.dest_nid = to.nid;
  send.payload = {&vector, 1, 0, static_cast<std::uint32_t>(payload.size())};
  send.tx = {next_ticket_++, 1};
  send.deadline = deadline;
  const core::MsgTicket tx = send.tx;
  engine.command(std::move(send));
  return tx;
}

void EngineBench::connect(const core::Hop& to) { engine.command(core::Cancel{ni.id, to, put(to)}); }

Handle EngineBench::dialled() {
  if (dials.empty()) return {};
  engine.connected(dials.back().conn, false);
  return dials.back().conn;
}

Handle EngineBench::accepted(const wire::Hello& hello, const char* address, std::uint16_t port) {
  const Handle conn = accept(address, port);
  feed(conn, bytes_of(wire::AcceptorRequest::to(self)) + bytes_of(hello));
  take(conn);
  return conn;
}

Handle EngineBench::answered(const wire::Hello& hello) {
  const Handle conn = dialled();
  take(conn);
  feed(conn, bytes_of(hello));
  return conn;
}

Handle EngineBench::opened(const Nid& who, ConnType type, std::uint32_t version) {
  wire::Hello answer = hello(type, version);
  answer.src_nid = who;
  return answered(answer);
}

EngineBench::Trio EngineBench::trio(std::uint32_t version) {
  const char* address = self.is_small() ? "192.168.1.10" : "2001:db8::10";
  Trio trio;
  trio.control = accepted(hello(ConnType::kControl, version), address, 1023);
  trio.bulk_out = accepted(hello(ConnType::kBulkIn, version), address, 1022);
  trio.bulk_in = accepted(hello(ConnType::kBulkOut, version), address, 1021);
  return trio;
}

wire::Hello EngineBench::hello(ConnType type, std::uint32_t version) const {
  wire::Hello hello;
  hello.version = version;
  hello.src_nid = peer;
  hello.dst_nid = self;
  hello.src_incarnation = 0x17c0ffee12345678;
  hello.type = type;
  return hello;
}

wire::LnetHeader EngineBench::header(std::uint32_t payload) const {
  wire::LnetHeader header;
  header.dest_nid = self;
  header.src_nid = peer;
  header.dest_pid = header.src_pid = Pid::lustre();
  header.payload_length = payload;
  header.part = wire::PutPart{};
  return header;
}

bool EngineBench::closed(Handle conn) const {
  return std::find(closes.begin(), closes.end(), conn) != closes.end();
}

const core::SendDone* EngineBench::done(core::MsgTicket tx) const {
  const auto found = sends.find(tx.slot);
  return found == sends.end() ? nullptr : &found->second;
}

wire::Hello EngineBench::hello_in(const Bytes& bytes) const {
  const auto decoded = wire::decode_hello(bytes);
  return decoded ? decoded->hello : wire::Hello{0, {}, {}, {}, {}, 0, 0, ConnType::kAny, {}};
}

bool EngineBench::pass_to_owner(Handle, const core::Hop&, Arrival& arrival) {
  if (owner_is_elsewhere) passed_on.push_back(arrival);
  return owner_is_elsewhere;
}

bool EngineBench::deliver(const core::Input& input) {
  if (const auto* arrived = std::get_if<core::HeaderArrived>(&input)) {
    const auto slot = static_cast<std::uint32_t>(messages.size());
    Message& message = messages.emplace_back();
    message.header = *arrived->header;
    message.hop = arrived->hop;
    message.rx = arrived->rx;
    message.msg = {slot, 1};
    message.immediate = arrived->immediate.size();
    message.whole = arrived->whole;
    const std::uint32_t length = arrived->header->payload_length;
    message.sink.resize(length);
    message.vector = {message.sink.data(), length};
    if (on_header) on_header();
    switch (verdict) {
      case Verdict::kLand:
        engine.command(
            core::Land{ni.id, message.rx, message.msg, {&message.vector, 1, 0, length}, length});
        break;
      case Verdict::kDrop:
        engine.command(core::DropPayload{ni.id, message.rx, length});
        break;
      case Verdict::kHold:
        engine.command(core::HoldPayload{ni.id, message.rx, message.msg});
        break;
      case Verdict::kReject:
        engine.command(core::Reject{ni.id, message.rx, "test"});
        break;
      case Verdict::kLater:
        break;
      case Verdict::kDone:
        return true;
    }
  } else if (const auto* landed = std::get_if<core::PayloadLanded>(&input)) {
    Message& message = messages.at(landed->msg.slot);
    ++message.ends;
    ended.push_back(landed->msg.slot);
    message.status = landed->status;
    message.health = landed->health;
  } else if (const auto* sent = std::get_if<core::SendDone>(&input)) {
    if (!sends.emplace(sent->tx.slot, *sent).second) std::abort();
  } else if (const auto* up = std::get_if<core::PeerUp>(&input)) {
    ups.push_back(up->hop);
  } else if (const auto* down = std::get_if<core::PeerDown>(&input)) {
    downs.push_back(*down);
  }
  return false;
}

}  // namespace ulnet::lnd::sock
