#include "sim/foreign/raw_peer.h"

#include <array>
#include <cerrno>

#include "lnet/base/assert.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

constexpr std::uint16_t kFirstPort = 1023, kLastPort = 512;

}  // namespace

RawPeer::RawPeer(World& world, const Nid& nid)
    : world_(world), nid_(nid), at_{wire_address(nid), kPort} {
  ULNET_ASSERT(world.find(nid) == nullptr);
}

RawPeer::~RawPeer() { world_.streams().abandon(*this, false); }

std::uint32_t RawPeer::number() const { return kNoNode; }

// ---- what it does -------------------------------------------------------------------------------

RawPeer::Talk& RawPeer::add(bool by_us, Handle stream, const Endpoint& remote) {
  talks_.push_back(std::make_unique<Talk>(by_us));
  talks_.back()->stream = stream;
  talks_.back()->remote = remote;
  return *talks_.back();
}

RawPeer::Talk& RawPeer::dial(const Nid& to, std::uint16_t port) {
  const Endpoint remote{wire_address(to), kPort};
  if (port == 0) {
    port = port_;
    port_ = port_ == kLastPort ? kFirstPort : static_cast<std::uint16_t>(port_ - 1);
  }
  return add(true, world_.streams().dial({at_.address, port}, remote, *this), remote);
}

wire::Hello RawPeer::hello(const Nid& to, std::uint32_t version, wire::ConnType type) const {
  wire::Hello hello;
  hello.version = version;
  hello.src_nid = nid_;
  hello.dst_nid = to;
  hello.src_incarnation = incarnation;
  hello.type = type;
  return hello;
}

RawPeer::Talk& RawPeer::greet(const Nid& to, std::uint32_t version, wire::ConnType type) {
  Talk& talk = dial(to);
  say(talk, words(wire::AcceptorRequest::to(to)));
  say(talk, words(hello(to, version, type)));
  return talk;
}

bool RawPeer::open_listener() { return world_.streams().listen(at_, *this) == 0; }

void RawPeer::say(Talk& talk, ByteView bytes) {
  if (talk.ended || !talk.stream) return;
  talk.unsent.insert(talk.unsent.end(), bytes.begin(), bytes.end());
  write(talk);
}

void RawPeer::hang_up(Talk& talk) {
  if (talk.stream) world_.streams().close(talk.stream);
  talk.stream = {};
}

void RawPeer::listen(Talk& talk, bool listens) {
  talk.listens = listens;
  if (listens && talk.stream && talk.open) world_.streams().rearm(talk.stream);
}

void RawPeer::forget_ended() {
  std::erase_if(talks_, [](const auto& talk) { return !talk->stream; });
}

// ---- what happens to it -------------------------------------------------------------------------

RawPeer::Talk* RawPeer::find(Handle stream) {
  for (const auto& talk : talks_)
    if (talk->stream == stream) return talk.get();
  return nullptr;
}

void RawPeer::on_dialled(Handle stream, int error) {
  Talk* talk = find(stream);
  if (error != 0) {
    talk->stream = {};  // after a failed dial the socket no longer exists
    return end(*talk, error);
  }
  talk->open = true;
  write(*talk);
}

void RawPeer::on_accepted(Handle stream, const Endpoint&, const Endpoint& remote) {
  add(false, stream, remote).open = true;
  world_.streams().rearm(stream);
}

void RawPeer::on_readable(Handle stream) {
  Talk* talk = find(stream);
  if (talk->listens) return read(*talk);
  if (const int error = world_.streams().error(stream); error != 0) end(*talk, error);
}

void RawPeer::on_writable(Handle stream) { write(*find(stream)); }

void RawPeer::read(Talk& talk) {
  std::array<std::byte, 4096> buffer;
  const iovec whole{buffer.data(), buffer.size()};
  while (talk.stream) {
    const Transfer got = world_.streams().read(talk.stream, &whole, 1);
    if (got.bytes == 0 && got.error == EAGAIN) return;
    if (got.bytes == 0) return end(talk, got.error);
    talk.heard.insert(talk.heard.end(), buffer.begin(),
                      buffer.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    hear(talk, ByteView(buffer).first(got.bytes));
  }
}

void RawPeer::hear(Talk& talk, ByteView bytes) {
  for (;;) {
    switch (talk.parser.next(bytes)) {
      case KsockStreamParser::Heard::kMore:
        return;
      case KsockStreamParser::Heard::kHello:
        talk.hello = talk.parser.hello().hello;
        if (!talk.by_us && on_hello) {
          on_hello(talk);
        } else if (!talk.by_us) {
          say(talk, words(wire::answer_hello(*talk.hello, {nid_, Pid::lustre(), incarnation})));
        }
        break;
      case KsockStreamParser::Heard::kNoop:
        break;
      case KsockStreamParser::Heard::kMessage:
        talk.messages.push_back({talk.parser.frame(), talk.parser.header(), {}});
        break;
      case KsockStreamParser::Heard::kPayload: {
        std::vector<std::byte>& payload = talk.messages.back().payload;
        payload.insert(payload.end(), talk.parser.piece().begin(), talk.parser.piece().end());
        break;
      }
      case KsockStreamParser::Heard::kEnd:
        talk.messages.back().whole = true;
        if (on_message) on_message(talk, talk.messages.back());
        break;
      case KsockStreamParser::Heard::kRequest:
      case KsockStreamParser::Heard::kNonsense:
        break;
    }
  }
}

void RawPeer::write(Talk& talk) {
  if (!talk.open || !talk.stream) return;
  if (!talk.unsent.empty()) {
    const iovec all{talk.unsent.data(), talk.unsent.size()};
    const Transfer put = world_.streams().write(talk.stream, &all, 1);
    if (put.error == EAGAIN) return;  // on_writable() follows, also when a part was written
    if (put.error != 0) return end(talk, put.error);
    talk.unsent.erase(talk.unsent.begin(),
                      talk.unsent.begin() + static_cast<std::ptrdiff_t>(put.bytes));
  }
  if (talk.leaves && talk.unsent.empty()) hang_up(talk);
}

void RawPeer::end(Talk& talk, int error) {
  talk.ended = true;
  talk.error = error;
  talk.unsent.clear();
  hang_up(talk);
}

}  // namespace ulnet::sim
