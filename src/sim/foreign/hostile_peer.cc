#include "sim/foreign/hostile_peer.h"

#include "lnet/base/limits.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

constexpr std::size_t kCrowd = 40;
/// A portal where no node has an ME.
constexpr std::uint32_t kEmptyPortal = 63;
constexpr std::uint64_t kPingBits = 0x8000000000000000ULL;
constexpr std::uint32_t kVersions[] = {1, 2, 3, 3, 3, 4};
constexpr wire::ConnType kTypes[] = {wire::ConnType::kControl, wire::ConnType::kControl,
                                     wire::ConnType::kBulkIn, wire::ConnType::kBulkOut,
                                     wire::ConnType::kAny};

void append(std::vector<std::byte>& to, const std::vector<std::byte>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The offset of the message type (spec/wire-lnet.md 2.1, 2.2).
std::size_t type_at(std::uint32_t version) {
  return (version == 1 ? 0 : wire::kFrameBytes) + (version >= 4 ? 48 : 24);
}

}  // namespace

bool HostilePeer::can_trouble(const SimNode& whom, std::size_t ni) {
  const NodeSetup& setup = whom.setup();
  return ni < setup.nis.size() && setup.nis[ni].nid.is_small() &&
         setup.nis[ni].driver.value_or(setup.driver) == DriverKind::kSock;
}

HostilePeer::HostilePeer(World& world, const SimNode& whom, std::size_t ni, Rng rng)
    : world_(world), whom_(whom), nid_(whom.nid(ni)), rng_(rng) {
  do {
    conn_ = std::make_unique<RawPeer>(world, nobody());
  } while (!conn_->open_listener());
  conn_->on_hello = [this](RawPeer::Talk& talk) { answer_dial(talk); };
}

HostilePeer::~HostilePeer() {
  for (const auto& talk : conn_->talks())
    if (talk->stream && often(50)) world_.streams().reset(talk->stream);
}

/// A NID of the same net that no node has.
Nid HostilePeer::nobody() {
  return Nid::small(nid_.net(), 0x0a630000U + static_cast<std::uint32_t>(below(0x10000)));
}

HostilePeer::Bytes HostilePeer::noise(std::size_t most) {
  Bytes bytes(1 + below(most));
  for (std::byte& each : bytes) each = static_cast<std::byte>(below(256));
  return bytes;
}

void HostilePeer::attack() {
  if (often(10)) {
    for (std::size_t i = 0; i < kCrowd; ++i) conn_->dial(nid_);
    return;
  }
  RawPeer::Talk& talk = conn_->dial(nid_, often(10) ? 2000 : 0);
  conn_->listen(talk, often(80));
  Bytes bytes = conversation();
  if (often(30)) bytes.resize(below(bytes.size() + 1));
  talk.leaves = often(30);
  conn_->say(talk, bytes);
}

HostilePeer::Bytes HostilePeer::conversation() {
  const std::uint32_t version = kVersions[below(std::size(kVersions))];
  Bytes bytes = request();
  append(bytes, hello(version));
  for (std::uint64_t left = below(8); left != 0; --left) append(bytes, message(version));
  return bytes;
}

// ---- acceptor request and hello -----------------------------------------------------------------

HostilePeer::Bytes HostilePeer::request() {
  if (often(85)) return words(wire::AcceptorRequest::to(nid_));
  Bytes bytes = words(wire::AcceptorRequest::to(often(50) ? nid_ : nobody()));
  switch (below(4)) {
    case 0:  // a foreign NID, or nothing wrong
      break;
    case 1:
      bytes[below(4)] ^= std::byte{0x10};  // the magic
      break;
    case 2:
      bytes[4] = std::byte{9};  // the version
      break;
    default:
      bytes = noise(40);
  }
  return bytes;
}

HostilePeer::Bytes HostilePeer::hello(std::uint32_t version) {
  wire::Hello hello = conn_->hello(nid_, version, kTypes[below(std::size(kTypes))]);
  if (often(10)) hello.src_nid = nobody();
  if (often(10)) hello.src_incarnation = 1 + below(3);
  if (often(5)) hello.src_pid = Pid{static_cast<std::uint32_t>(below(1000))};
  if (often(85)) return words(hello);
  switch (below(6)) {
    case 0:
      hello.type = wire::ConnType::kNone;
      break;
    case 1:
      hello.src_nid = Nid::any();
      break;
    case 2:
      hello.src_nid = Nid::loopback();
      break;
    default:
      break;
  }
  Bytes bytes = words(hello);
  if (often(50)) {
    const auto wrong = static_cast<std::byte>(below(256));
    bytes[below(8)] = wrong;  // magic or version
  }
  if (often(50)) bytes[bytes.size() - 1 - below(8)] = std::byte{77};  // type or addresses
  return bytes;
}

/// A node dials this peer to send an answer. The peer answers the node's hello, mostly wrongly.
void HostilePeer::answer_dial(RawPeer::Talk& talk) {
  const wire::HelloSelf self{conn_->nid(), Pid::lustre(), conn_->incarnation};
  const wire::Hello& offer = *talk.hello;
  switch (below(8)) {
    case 0:
      return;  // sends nothing
    case 1:
      return conn_->say(talk, noise(100));
    case 2:
      return conn_->hang_up(talk);
    case 3:
      return conn_->say(talk, words(wire::answer_hello(offer, {nobody(), self.pid, 1})));
    case 4:
      return conn_->say(talk, words(wire::refuse_hello(offer, self, offer.version)));
    case 5:
      return conn_->say(talk, words(wire::refuse_hello(offer, self, 2)));
    default:
      return conn_->say(talk, words(wire::answer_hello(offer, self)));
  }
}

// ---- messages -----------------------------------------------------------------------------------

template <class Part>
wire::LnetHeader HostilePeer::header(const Part& part, std::uint32_t payload_length) const {
  wire::LnetHeader made;
  made.dest_nid = nid_;
  made.src_nid = conn_->nid();
  made.dest_pid = made.src_pid = Pid::lustre();
  made.payload_length = payload_length;
  made.part = part;
  return made;
}

wire::LnetHeader HostilePeer::put(std::uint32_t bytes) {
  wire::PutPart part;
  part.portal = kEmptyPortal;
  if (often(50)) part.ack_wmd = {rng_.next(), rng_.next()};
  return header(part, bytes);
}

HostilePeer::Bytes HostilePeer::message(std::uint32_t version) {
  switch (below(8)) {
    case 0: {  // a sound ping
      wire::GetPart part;
      part.match_bits = kPingBits;
      part.sink_length = static_cast<std::uint32_t>(below(5000));
      part.return_wmd = {rng_.next(), rng_.next()};
      return words(header(part), {}, version);
    }
    case 1: {  // a push whose ping info is random bytes
      const Bytes info = noise(300);
      wire::LnetHeader push = put(static_cast<std::uint32_t>(info.size()));
      std::get<wire::PutPart>(push.part).portal = 0;
      std::get<wire::PutPart>(push.part).match_bits = kPingBits;
      return words(push, info, version);
    }
    case 2: {
      const Bytes payload = often(5) ? Bytes(limits::kMtu) : noise(5000);
      wire::LnetHeader lost = put(static_cast<std::uint32_t>(payload.size()));
      if (often(30))
        std::get<wire::PutPart>(lost.part).portal = static_cast<std::uint32_t>(rng_.next());
      return words(lost, payload, version);
    }
    case 3:
      return misaddressed(version);
    case 4:
      return answer(version);
    case 5:
      return ill_formed(version);
    case 6:
      return cookies(version);
    default:
      return noise(100);
  }
}

/// A message to a NID that this node does not have, or from a NID that no peer can have.
HostilePeer::Bytes HostilePeer::misaddressed(std::uint32_t version) {
  wire::LnetHeader wrong = put(10);
  switch (below(6)) {
    case 0:
      wrong.dest_nid = nobody();
      break;
    case 1:
      wrong.dest_nid = whom_.nid(below(whom_.setup().nis.size()));
      if (!wrong.dest_nid.is_small()) wrong.dest_nid = nid_;  // its header has no room for others
      break;
    case 2:
      wrong.dest_nid = Nid::small({NetType::kTcp, 77}, 1);
      break;
    case 3:
      wrong.src_nid = Nid::loopback();
      break;
    case 4:
      wrong.src_nid = Nid::any();
      break;
    default:
      wrong.src_nid = Nid::small({NetType::kTcp, 77}, 1);
  }
  return words(wrong, Bytes(10), version);
}

/// An ACK or a REPLY that the node does not expect.
HostilePeer::Bytes HostilePeer::answer(std::uint32_t version) {
  const std::uint64_t cookie = often(50) ? whom_.incarnation() : rng_.next();
  const wire::WireHandle handle{cookie, rng_.next()};
  if (often(50)) return words(header(wire::AckPart{handle, 7, 0}), {}, version);
  return words(header(wire::ReplyPart{handle}, 100), Bytes(100), version);
}

HostilePeer::Bytes HostilePeer::ill_formed(std::uint32_t version) {
  switch (below(6)) {
    case 0:
      return words(header(wire::AckPart{}, 4), Bytes(4), version);
    case 1:
      return words(header(wire::GetPart{}, 4), Bytes(4), version);
    case 2:
      return words(put(limits::kMtu + 1 + static_cast<std::uint32_t>(below(1000))), {}, version);
    case 3: {
      Bytes bytes = words(put(0), {}, version);
      bytes[type_at(version)] = static_cast<std::byte>(4 + below(252));
      return bytes;
    }
    case 4: {  // the frame's type; in version 1 the receiver
      Bytes bytes = words(put(0), {}, version);
      bytes[below(4)] ^= std::byte{0x20};
      return bytes;
    }
    default: {  // less payload than the header states
      const Bytes has(below(1000));
      const auto says = static_cast<std::uint32_t>(1000 + below(1000));
      return words(put(says), has, version);
    }
  }
}

/// Wrong checksums, cookies that ask for a zero-copy ACK, zero-copy ACKs of unknown cookies,
/// keepalives.
HostilePeer::Bytes HostilePeer::cookies(std::uint32_t version) {
  wire::Frame frame;
  switch (below(6)) {
    case 0:
      frame.checksum = 1 + static_cast<std::uint32_t>(below(1000));
      break;
    case 1:
    case 2:
      frame.cookie0 = ++cookie_;
      break;
    case 3:
      frame.cookie1 = below(1000);
      break;
    default:
      frame = {wire::FrameType::kNoop, 0, below(3), often(50) ? 1 : rng_.next()};
      if (often(20)) frame.checksum = 1;
      if (version > 1) return words(frame);
  }
  return words(put(100), Bytes(100), version, frame);
}

}  // namespace ulnet::sim
