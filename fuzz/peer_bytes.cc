#include "peer_bytes.h"

namespace ulnet::fuzz {

using lnd::sock::address_of;
using wire::Frame;
using wire::FrameType;

namespace {

constexpr std::uint16_t kPorts[] = {1023, 1022, 1021, 40000};

Nid nid(const char* text) { return Nid::parse(text).value(); }

std::array<Nid, 8> table(const char* peer, const char* other, const char* on_tcp1,
                         const std::vector<Nid>& own) {
  return {nid(peer), nid(other),   nid(on_tcp1),    own[0],
          own[1],    nid("7@kfi"), Nid::loopback(), Nid::any()};
}

bool fits(std::uint32_t version, const Nid& nid) {
  return version >= 4 || nid.is_small() || nid.is_any();
}

/// The type-specific part of a message; its handle is one of `asked`, or a wrong one.
void fill_part(Script& script, wire::LnetHeader& header,
               const std::vector<wire::WireHandle>& asked) {
  wire::WireHandle handle{0xc00c1e, script.u8()};
  if (!asked.empty() && handle.object_cookie < 200)
    handle = asked[asked.size() - 1 - handle.object_cookie % asked.size()];
  const std::uint32_t portal = script.u8() % 5U;
  const std::uint64_t bits = portal == 0 ? 0x8000000000000000 : script.u8() % 4U;
  const std::uint32_t offset = script.u8();
  switch (script.u8() % 6) {
    case 0:
      header.part = wire::AckPart{handle, bits, offset};
      break;
    case 1:
      header.part = wire::GetPart{{0xfeed, offset}, bits, portal, offset, script.length(1 << 20)};
      break;
    case 2:
      header.part = wire::ReplyPart{handle};
      header.payload_length = script.length(limits::kMtu);
      break;
    default:
      header.part =
          wire::PutPart{offset & 1 ? wire::WireHandle{0xfeed, offset} : wire::WireHandle::none(),
                        bits, 0x1234, portal, offset};
      header.payload_length = script.length(limits::kMtu);
  }
}

/// Fills the payload from the script: ping info, as in a push.
void fill_payload(Script& script, ByteSpan payload) {
  const ByteView from = script.bytes(std::min<std::size_t>(payload.size(), script.u8()));
  std::copy(from.begin(), from.end(), payload.begin());
}

}  // namespace

std::vector<Nid> own_nids(bool large) {
  if (large) return {nid("2001:db8::9@tcp"), nid("10.1.0.9@tcp1")};
  return {nid("10.0.0.9@tcp"), nid("10.1.0.9@tcp1")};
}

const std::array<Nid, 8>& nids(bool large) {
  static const auto small_ones =
      table("10.0.0.1@tcp", "10.0.0.20@tcp", "10.1.0.1@tcp1", own_nids(false));
  static const auto large_ones =
      table("2001:db8::1@tcp", "2001:db8::20@tcp", "10.1.0.1@tcp1", own_nids(true));
  return large ? large_ones : small_ones;
}

lnd::sock::Address peer_address(bool large, unsigned which) {
  return address_of(nids(large)[which]).value();
}

lnd::sock::Endpoint remote_of(Script& script, bool large) {
  const unsigned which = script.u8() % 4U;
  return {peer_address(large, which), script.pick(kPorts)};
}

wire::Hello plain_hello(bool large) {
  wire::Hello hello;
  hello.version = large ? 4 : 3;
  hello.src_nid = nids(large)[0];
  hello.dst_nid = own_nids(large)[0];
  hello.src_incarnation = 1;
  return hello;
}

wire::Hello hello_of(Script& script, bool large) {
  wire::Hello hello = plain_hello(large);
  const std::uint8_t how = script.u8();
  if (how & 1) hello.version = 1 + script.u8() % 4U;
  if (how & 2) hello.src_nid = script.pick(nids(large));
  if (how & 4) hello.dst_nid = script.pick(nids(large));
  if (how & 8) hello.src_incarnation = script.u8();
  if (how & 16) hello.src_pid = {script.u8()};
  hello.type = script.pick(kTypes);
  for (Nid* nid : {&hello.src_nid, &hello.dst_nid})
    if (!fits(hello.version, *nid)) *nid = nids(false)[0];
  if (how & 32 && hello.version < 4) hello.addresses.assign(script.u8() % 17U, 0x0a000001);
  return hello;
}

Bytes hello_bytes(Script& script, const wire::Hello& hello) {
  Bytes out(wire::hello_bytes(hello));
  const bool big = script.u8() == 255 && hello.version != 1;
  wire::encode_hello(hello, out, big ? Order::kBig : Order::kLittle);
  return out;
}

Bytes request_bytes(Script& script, bool large) {
  const std::uint8_t which = script.u8();
  return bytes_of(wire::AcceptorRequest::to(which < 128 ? own_nids(large)[which & 1]
                                                        : nids(large)[which % 6U]));
}

Bytes frame_bytes(Script& script) {
  Frame frame;
  frame.type = script.flag() ? FrameType::kNoop : FrameType::kLnet;
  const std::uint8_t how = script.u8();
  frame.cookie0 = how & 1 ? script.u8() : 0;
  frame.cookie1 = how & 2 ? script.u8() : how & 4 ? ~0ULL : 0;
  Bytes out(wire::kFrameBytes);
  wire::encode_frame(frame, out);
  if (how & 8) frame.checksum = wire::noop_checksum(how & 16 ? 2 : 3, out);
  wire::encode_frame(frame, out);
  return out;
}

Bytes message_bytes(Script& script, std::uint32_t version, bool large,
                    const std::vector<wire::WireHandle>& asked) {
  const std::uint8_t how = script.u8();
  wire::LnetHeader header;
  header.src_nid = how & 1 ? script.pick(nids(large)) : nids(large)[0];
  header.dest_nid = how & 2 ? script.pick(nids(large)) : own_nids(large)[0];
  header.dest_pid = header.src_pid = Pid::lustre();
  for (Nid* nid : {&header.src_nid, &header.dest_nid})
    if (!fits(version, *nid)) *nid = nids(false)[0];
  fill_part(script, header, asked);

  const wire::HeaderForm form = wire::header_form(version);
  const std::size_t begin = version == 1 ? 0 : wire::kFrameBytes;
  const std::size_t body = begin + wire::header_bytes(form);
  Bytes out(body + header.payload_length);
  wire::encode_header(header, form, ByteSpan(out).subspan(begin, body - begin));
  fill_payload(script, ByteSpan(out).subspan(body));
  if (version == 1) return out;
  Frame frame;
  frame.cookie0 = how & 4 ? 1 + script.u8() : 0;
  frame.cookie1 = how & 8 ? script.u8() : 0;
  wire::encode_frame(frame, out);
  if (how & 16) {
    wire::Crc32 sum = wire::begin_checksum(version, ByteView(out).first(begin),
                                           ByteView(out).subspan(begin, body - begin));
    sum.update(ByteView(out).subspan(body));
    frame.checksum = sum.value();
    wire::encode_frame(frame, out);
  }
  return out;
}

}  // namespace ulnet::fuzz
