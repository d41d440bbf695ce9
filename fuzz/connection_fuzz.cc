// Whole connections. The input is a script of what peers, users and the clock do to one node. Peers
// send raw bytes, or structures that are nearly right, split anywhere, on connections that the node
// accepted or dialled. lone_node.h lists the properties that must hold. At the end all memory must
// be released.
#include <cstdlib>
#include <new>

#include "input.h"
#include "lnet/base/sanitizers_fixture.h"
#include "lone_node.h"
#include "peer_bytes.h"
#include "script.h"

namespace {
std::size_t blocks = 0;
}  // namespace

// Counts memory blocks, except under a sanitizer that finds leaks itself and needs to see the
// allocations. Not inlined, because the compiler would see malloc() paired with delete.
#if !ULNET_ADDRESS_SANITIZER
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++blocks;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  blocks -= memory != nullptr;
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  blocks -= memory != nullptr;
  std::free(memory);
}
#endif

using namespace ulnet;
using namespace ulnet::fuzz;
using lnd::sock::SockTunables;

namespace {

constexpr std::size_t kStreamsMax = 64;
constexpr std::size_t kMdsMax = 64;
constexpr std::size_t kBytesMax = 8 << 20;
constexpr int kErrors[] = {0, ECONNRESET, ETIMEDOUT, EPIPE, ECONNREFUSED, ENETUNREACH};
constexpr std::int64_t kMilliseconds[] = {1, 100, 1000, 12'000, 51'000, 200'000};

class Play {
 public:
  Play(ByteView input, SockTunables& tunables)
      : script_(input), tunables_(tunables), large_(begin()), node_(tunables, own_nids(large_)) {}

  void run() {
    while (!script_.ended()) {
      const std::uint8_t scene = script_.u8();
      act(scene & 0x1f);
      if ((scene & 0x80) != 0)
        node_.run_lazily();
      else
        node_.run_to_rest();
      node_.check();
    }
    node_.finish();
  }

 private:
  /// Sets tunables from the first two bytes of the script; returns whether NIDs are large.
  bool begin() {
    const std::uint8_t how = script_.u8();
    tunables_ = {};
    tunables_.accept = how & 1 ? lnd::sock::Accept::kAll : lnd::sock::Accept::kTrust;
    tunables_.zc_request = how >> 1 & 1;
    tunables_.zc_min_payload = 2048;
    tunables_.enable_csum = how >> 2 & 1;
    tunables_.typed_conns = how >> 3 & 1;
    tunables_.nonblk_zcack = how >> 4 & 1;
    tunables_.accept_pending = how >> 5 & 1 ? 2 : 64;
    tunables_.nconnds = how >> 6 & 1 ? 1 : 4;
    return (script_.u8() & 1) != 0;
  }

  void act(unsigned what) {
    switch (what) {
      case 0:
        return accept();
      case 1:
        return say(script_.bytes(script_.u8()));
      case 2:
        return say(request_bytes(script_, large_));
      case 3:
        return say_hello();
      case 4:
        return say(frame_bytes(script_));
      case 5:
        return say_message();
      case 6:
        return arrive();
      case 7:
        if (anyone()) node_.write(stream_, script_.flag() ? script_.length(1 << 20) : SIZE_MAX);
        return;
      case 8:
        if (anyone()) node_.end(stream_, script_.pick(kErrors));
        return;
      case 9:
        if (anyone()) node_.answer_dial(stream_, script_.flag() ? script_.pick(kErrors) : 0);
        return;
      case 10:
        return node_.advance(std::chrono::milliseconds(script_.pick(kMilliseconds)));
      case 11:
        return attach();
      case 12:
        return bind_and_go();
      case 13:
        return again();
      case 14:
        return unlink();
      case 15:
        return lazy();
      case 16:
        return ping();
      case 17:
        return node_.configure(1 + script_.u8() % 8, 1 + script_.u8(), 1 + script_.u8() % 3);
      case 18:
        return peer_up_to_open();
      default:
        return;
    }
  }

  // ---- network ----------------------------------------------------------------------------------
  /// Chooses an open connection by the script; false: no connection is open.
  bool anyone() {
    if (node_.streams().empty()) return false;
    stream_ = script_.u8() % node_.streams().size();
    return node_.streams()[stream_].live;
  }
  void accept() {
    if (node_.streams().size() >= kStreamsMax) return;
    node_.accept(remote_of(script_, large_));
  }
  /// The peer writes these bytes, one of them perhaps changed; then some of them arrive, in most
  /// cases all.
  void say(std::vector<std::byte> bytes) {
    if (!anyone() || (said_ += bytes.size()) > kBytesMax) return;
    const std::uint8_t spoil = script_.u8();
    if (spoil >= 128 && !bytes.empty())
      bytes[script_.u8() % bytes.size()] ^= static_cast<std::byte>(script_.u8());
    auto& coming = node_.streams()[stream_].coming;
    coming.insert(coming.end(), bytes.begin(), bytes.end());
    const unsigned split = spoil & 127;
    if (node_.streams()[stream_].dialling || split == 127) return;
    node_.arrive(stream_, split == 0 ? SIZE_MAX : split, SIZE_MAX);
  }
  void say(ByteView bytes) { say(std::vector<std::byte>(bytes.begin(), bytes.end())); }
  void say_hello() {
    wire::Hello hello = hello_of(script_, large_);
    const std::uint32_t version = hello.version;
    say(hello_bytes(script_, hello));
    if (stream_ < node_.streams().size()) node_.streams()[stream_].version = version;
  }
  void say_message() {
    const std::uint32_t version =
        stream_ < node_.streams().size() ? node_.streams()[stream_].version : 3;
    say(message_bytes(script_, version, large_, node_.asked()));
  }
  void arrive() {
    if (!anyone() || node_.streams()[stream_].dialling) return;
    const std::size_t count = script_.length(1 << 20);
    node_.arrive(stream_, count == 0 ? SIZE_MAX : count, 1 + script_.u8());
  }
  /// A complete handshake, since random bytes seldom contain one.
  void peer_up_to_open() {
    if (node_.streams().size() >= kStreamsMax) return;
    const std::size_t before = node_.streams().size();
    node_.accept({peer_address(large_, 0), 1023});
    if (node_.streams().size() == before) return;
    stream_ = before;
    wire::Hello hello = plain_hello(large_);
    hello.type = script_.pick(kTypes);
    node_.streams()[stream_].version = hello.version;
    auto& coming = node_.streams()[stream_].coming;
    coming = bytes_of(wire::AcceptorRequest::to(own_nids(large_)[0]));
    const auto rest = bytes_of(hello);
    coming.insert(coming.end(), rest.begin(), rest.end());
    node_.arrive(stream_, SIZE_MAX, SIZE_MAX);
    node_.write(stream_, SIZE_MAX);
  }

  // ---- users ------------------------------------------------------------------------------------
  MdSpec spec_of(UserMd& md) {
    MdSpec spec;
    spec.fragments = {&md.fragment, 1};
    spec.threshold = script_.flag() ? kThresholdInfinite : script_.u8() % 4;
    spec.max_size = script_.u8();
    spec.options = static_cast<std::uint32_t>(script_.u8()) << (script_.flag() ? 0 : 3);
    spec.sink = &md;
    return spec;
  }
  UnlinkMode unlink_mode() { return script_.flag() ? UnlinkMode::kUnlink : UnlinkMode::kRetain; }
  void attach() {
    if (node_.mds().size() >= kMdsMax) return;
    core::call::MeAttach me{.portal = {script_.u8() % 4U},
                            .match_id = {script_.pick(nids(large_)), Pid::any()},
                            .match = {script_.u8() % 4U},
                            .ignore = {script_.u8()},
                            .unlink = unlink_mode()};
    if (node_.call(me, &me) != 0) return;
    UserMd& md = node_.add_md(script_.length(1 << 18));
    core::call::MdAttach body{.me = me.me, .spec = spec_of(md), .unlink = unlink_mode()};
    md.unlinked = node_.call(body, &body) != 0;
    md.md = body.md;
  }
  void bind_and_go() {
    if (node_.mds().size() >= kMdsMax) return;
    UserMd& md = node_.add_md(script_.length(1 << 18));
    core::call::MdBind body{.spec = spec_of(md), .unlink = unlink_mode()};
    md.unlinked = node_.call(body, &body) != 0;
    md.md = body.md;
    if (!md.unlinked) go(md);
  }
  void again() {
    if (node_.mds().empty()) return;
    UserMd& md = node_.mds()[script_.u8() % node_.mds().size()];
    if (!md.unlinked) go(md);
  }
  void go(UserMd& md) {
    ++md.begun;  // the SEND may come before the call returns
    const ProcessId target{script_.pick(nids(large_)), Pid::lustre()};
    const Portal portal{script_.u8() % 4U};
    const MatchBits bits{script_.u8() % 4U};
    int status = 0;
    if (script_.flag()) {
      core::call::Get get{{.md = md.md, .target = target, .portal = portal, .match_bits = bits}};
      status = node_.call(get);
    } else {
      core::call::Put put{{.md = md.md, .target = target, .portal = portal, .match_bits = bits}};
      if (script_.flag()) put.request.ack = AckRequest::kAck;
      status = node_.call(put);
    }
    md.begun -= status != 0;
  }
  void unlink() {
    if (node_.mds().empty()) return;
    const UserMd& md = node_.mds()[script_.u8() % node_.mds().size()];
    node_.call(core::call::MdUnlink{md.md});
  }
  void lazy() {
    const Portal portal{script_.u8() % 4U};
    script_.flag() ? node_.call(core::call::SetLazy{portal})
                   : node_.call(core::call::ClearLazy{portal});
  }
  void ping() {
    core::call::Ping ping;
    ping.request.target = {script_.pick(nids(large_)), Pid::lustre()};
    ping.ticket = ++pings_;
    node_.call(ping);
  }

  Script script_;
  SockTunables& tunables_;
  const bool large_;
  LoneNode node_;
  std::size_t stream_ = 0;
  std::size_t said_ = 0;
  std::uint64_t pings_ = 0;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // All configurations share the empty list of policies, which is allocated once, before blocks are
  // counted.
  [[maybe_unused]] static const ulnet::core::NodeConfig first;
  const std::size_t before = blocks;
  {
    SockTunables tunables;
    Play(fuzz::bytes_of(data, size), tunables).run();
  }
  ULNET_ASSERT(blocks == before);
  return 0;
}
