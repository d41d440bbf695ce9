// A process of LNet over MPI among hostile ones: a script of what three processes send, of what
// users ask for, of what MPI ends, and of the clock. Every operation and every message ends once,
// memory of a message is not touched after its end, and when the engine stops nothing is left.
#include <map>
#include <set>

#include "input.h"
#include "lnet/lnd/mpi/engine/engine.h"
#include "script.h"

using namespace ulnet;
using namespace ulnet::lnd::mpi;
using fuzz::Script;

namespace {

constexpr std::int32_t kRanks = 3;
constexpr std::size_t kLargest = 64 << 10;
constexpr std::int64_t kSeconds[] = {0, 1, 5, 11, 60};
constexpr int kErrors[] = {0, 0, 0, -EIO, -EMSGSIZE};

class Play final : public Outlet {
 public:
  explicit Play(ByteView input) : script_(input), engine_(*this, options(), 100) {
    engine_.start({1});
  }

  void run() {
    while (!script_.ended()) {
      engine_.at(now_);
      act(script_.u8() & 7);
      engine_.work();
      for (int i = 0; i < 4 && !held_.empty(); ++i) judge();
    }
    engine_.stop();
    while (!engine_.idle()) {
      while (!ops_.empty()) finish(ops_.begin()->first, -ECANCELED);
      engine_.work();
    }
    ULNET_ASSERT(engine_.pending() == 0 && sending_.empty() && landing_.empty());
  }

  // Outlet
  bool deliver(const core::Input& input) override {
    if (const auto* arrived = std::get_if<core::HeaderArrived>(&input)) {
      ULNET_ASSERT(arrived->immediate.size() <= kLargest);
      held_.push_back({arrived->rx, arrived->header->payload_length,
                       arrived->header->type() == wire::MsgType::kGet});
      return false;
    }
    if (const auto* done = std::get_if<core::SendDone>(&input))
      ULNET_ASSERT(sending_.erase(done->tx.slot) == 1);
    if (const auto* landed = std::get_if<core::PayloadLanded>(&input))
      ULNET_ASSERT(landing_.erase(landed->msg.slot) == 1);
    if (const auto* reply = std::get_if<core::ReplyLanded>(&input))
      ULNET_ASSERT(sending_.contains(reply->tx.slot));
    return false;
  }
  std::optional<Place> place_of(const core::Hop& hop) const override {
    const auto rank = static_cast<std::int32_t>(hop.nid.address4());
    return rank < kRanks ? std::optional(Place{0, rank}) : std::nullopt;
  }
  std::optional<core::Hop> hop_of(const Place& place) const override {
    if (place.rank < 0 || place.rank >= kRanks) return std::nullopt;
    return hop(static_cast<std::uint32_t>(place.rank));
  }
  void send_short(OpId op, const Place&, std::vector<std::byte>&& message) override {
    ULNET_ASSERT(message.size() <= options().short_bytes);
    begin(op, false, 0);
  }
  void send(OpId op, const Place&, Tag tag, const core::Region&, bool) override {
    ULNET_ASSERT(tag > kShortTag && tag <= options().tag_max);
    begin(op, false, 0);
  }
  void post(OpId op, const Place&, Tag tag, const core::Region& sink,
            std::uint32_t length) override {
    ULNET_ASSERT(tag > kShortTag && tag <= options().tag_max && sink.length <= length);
    begin(op, true, length);
  }
  void cancel(OpId op) override { ULNET_ASSERT(ops_.contains(key(op))); }
  void warn(const Place&, const std::string& text) override { ULNET_ASSERT(!text.empty()); }

 private:
  struct Op {
    OpId id;
    bool receives = false;
    std::uint32_t length = 0;
  };
  struct Held {
    core::RxTicket rx;
    std::uint32_t length = 0;
    bool get = false;
  };

  static EngineOptions options() {
    EngineOptions made;
    made.short_bytes = 512;
    made.tag_max = 9;
    return made;
  }
  static core::Hop hop(std::uint32_t rank) {
    return {Nid::small({NetType::kMpi, 0}, rank), Pid::lustre()};
  }
  static std::uint64_t key(OpId op) { return std::uint64_t{op.generation} << 32 | op.slot; }

  void begin(OpId op, bool receives, std::uint32_t length) {
    ULNET_ASSERT(ops_.emplace(key(op), Op{op, receives, length}).second);
  }
  void finish(std::uint64_t which, int status) {
    const Op op = ops_.at(which);
    ops_.erase(which);
    if (op.receives)
      engine_.received(op.id, status, status == 0 ? op.length - (script_.flag() ? 1 : 0) : 0);
    else
      engine_.sent(op.id, status);
  }

  void act(unsigned what) {
    switch (what) {
      case 0:
        return engine_.arrived(place(), script_.bytes(script_.u8()));
      case 1:
        return greet();
      case 2:
        return batch();
      case 3:
        return begin_send();
      case 4:
        if (!sending_.empty())
          engine_.command(lnd::Command(core::Cancel{{1}, hop(0), {*sending_.begin(), 1}}));
        return;
      case 5:
        now_ += std::chrono::seconds(script_.pick(kSeconds));
        return engine_.at(now_);
      default:
        if (!ops_.empty()) finish(ops_.begin()->first, script_.pick(kErrors));
    }
  }
  Place place() { return {0, static_cast<std::int32_t>(script_.u8() % (kRanks + 1))}; }

  void greet() {
    wire::MpiGreeting greeting;
    greeting.kind = static_cast<wire::MpiGreeting::Kind>(1 + script_.u8() % 3);
    greeting.max_version = static_cast<std::uint16_t>(1 + script_.u8() % 2);
    greeting.short_bytes = wire::kMpiShortBytesMin + script_.u8();
    greeting.pool = 4;
    greeting.tag_max = 9;
    greeting.epoch = 1 + script_.u8() % 3U;
    if (greeting.kind != wire::MpiGreeting::Kind::kQuery) greeting.answers = epoch();
    std::vector<std::byte> message(wire::kMpiGreetingBytes);
    wire::encode_greeting(greeting, message);
    engine_.arrived(place(), message);
  }
  /// An epoch that the engine may have given a peer.
  std::uint64_t epoch() { return 101 + script_.u8() % 16U; }

  void batch() {
    std::vector<std::byte> message(wire::kMpiBatchBytes);
    wire::encode_batch({1, 1 + script_.u8() % 3U, epoch()}, message);
    for (int left = 1 + script_.u8() % 3; left > 0; --left) {
      wire::MpiFrame frame;
      frame.type = static_cast<wire::MpiFrameType>(1 + script_.u8() % 7);
      frame.tag = script_.u8() % 12;
      frame.header.src_nid = hop(1).nid;
      frame.header.dest_nid = hop(0).nid;
      if (frame.type == wire::MpiFrameType::kGet)
        frame.header.part = wire::GetPart{};
      else
        frame.header.part = wire::PutPart{};
      const std::vector<std::byte> payload(script_.u8());
      if (frame.type == wire::MpiFrameType::kImmediate) frame.payload = payload;
      if (frame.type != wire::MpiFrameType::kGet)
        frame.header.payload_length = static_cast<std::uint32_t>(payload.size());
      const std::size_t at = message.size();
      message.resize(at + frame_bytes(frame));
      encode_frame(frame, ByteSpan(message).subspan(at));
    }
    engine_.arrived(place(), message);
  }

  void begin_send() {
    core::Send send;
    send.ni = {1};
    send.hop = hop(script_.u8() % (kRanks + 1));
    send.header.src_nid = hop(0).nid;
    send.header.dest_nid = send.hop.nid;
    send.tx = {++tickets_, 1};
    send.deadline = now_ + std::chrono::seconds(script_.pick(kSeconds));
    const core::Region region{&memory_, 1, 0, script_.length(4096)};
    if (script_.flag()) {
      send.header.part = wire::GetPart{};
      send.sink = region;
    } else {
      send.header.part = wire::PutPart{};
      send.header.payload_length = region.length;
      send.payload = region;
    }
    sending_.insert(send.tx.slot);
    engine_.command(lnd::Command(send));
  }

  /// What the core decides about the oldest message that came in.
  void judge() {
    const Held in = held_.front();
    held_.erase(held_.begin());
    if (in.get) {
      if (script_.flag()) return engine_.command(lnd::Command(core::DropPayload{{1}, in.rx, 0}));
      core::Send reply;
      reply.ni = {1};
      reply.hop = hop(1);
      reply.header.part = wire::ReplyPart{};
      reply.answers = in.rx;
      reply.tx = {++tickets_, 1};
      sending_.insert(reply.tx.slot);
      return engine_.command(lnd::Command(reply));
    }
    switch (script_.u8() % 4) {
      case 0:
        return engine_.command(lnd::Command(core::DropPayload{{1}, in.rx, in.length}));
      case 1:
        return engine_.command(lnd::Command(core::Reject{{1}, in.rx, "the fuzzer"}));
      default: {
        const core::Region sink{&memory_, 1, 0, std::min<std::uint32_t>(in.length, 4096)};
        landing_.insert(++tickets_);
        return engine_.command(
            lnd::Command(core::Land{{1}, in.rx, {tickets_, 1}, sink, in.length}));
      }
    }
  }

  Script script_;
  Engine engine_;
  Instant now_{std::chrono::seconds(1)};
  std::map<std::uint64_t, Op> ops_;
  std::set<std::uint32_t> sending_, landing_;
  std::vector<Held> held_;
  std::uint32_t tickets_ = 0;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(4096);
  iovec memory_{bytes_.data(), bytes_.size()};
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Play(fuzz::bytes_of(data, size)).run();
  return 0;
}
