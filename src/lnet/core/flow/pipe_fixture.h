// For tests of the core: two nodes, a and b, of one or more shards each, and between them a driver
// that consists of a few lists. The driver carries out actions at once, or holds them until the
// test releases them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "lnet/core/contract/api.h"
#include "lnet/core/contract/call_fanout.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/nids_fixture.h"
#include "lnet/core/contract/peer_list.h"
#include "lnet/core/contract/shard_msg.h"
#include "lnet/core/flow/shard.h"

namespace ulnet::core::test {

inline ProcessId process(const Nid& nid) { return {nid, Pid::lustre()}; }
inline constexpr NiId kLo{1}, kTcp{2}, kTcp1{3};

/// A sink that keeps its events.
class Recorder : public EventSink {
 public:
  void on_event(const Event& event) override { events.push_back(event); }
  std::vector<Event> events;
  std::vector<EventType> types() const {
    std::vector<EventType> all;
    for (const Event& event : events) all.push_back(event.type);
    return all;
  }
};

/// A configuration with 0@lo, whose NiId is 1, and these NIDs, whose NiIds are 2, 3, ...
inline std::shared_ptr<NodeConfig> config_of(const std::vector<Nid>& nids, std::uint64_t cookie) {
  auto config = std::make_shared<NodeConfig>();
  config->interface_cookie = cookie;
  config->globals.peer_idle_timeout = 0;  // its timer would be among those that tests look at
  NiConfig lo;
  lo.id = kLo;
  lo.nid = Nid::loopback();
  lo.tunables = {0, 0, 0, 0};
  config->nis.push_back(lo);
  std::uint32_t id = 2;
  for (const Nid& nid : nids) {
    NiConfig ni;
    ni.id = {id++};
    ni.nid = nid;
    ni.lnd_timeout = std::chrono::seconds(49);
    config->nis.push_back(ni);
  }
  return config;
}

/// How many shards a node has. The same tests run with 1 shard and, if this variable is set, with
/// several.
inline std::uint32_t shards_of_a_node() {
  static const char* const text = std::getenv("ULNET_TEST_SHARDS");
  return text == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// Skips a test with several shards, if it counts what each shard has for itself: credits,
/// round-robin turns, thresholds.
#define ONE_SHARD_ONLY() \
  if (shards_of_a_node() != 1) GTEST_SKIP() << "is per shard"

/// A node: its shards, and the state of its host and driver. Inter-shard messages are delivered at
/// once.
struct End {
  End(const std::vector<Nid>& nids, std::uint64_t cookie, std::uint32_t count = shards_of_a_node())
      : config(config_of(nids, cookie)) {
    config->shards = count;
    placement = Placement(*config);
    for (std::uint32_t i = 0; i < config->shards; ++i) shards.push_back(std::make_unique<Shard>(i));
  }

  std::vector<std::unique_ptr<Shard>> shards;
  Placement placement;
  std::uint32_t caller = 0;  ///< the shard of the CPU on which API calls run
  struct PendingShardMsg {
    std::uint32_t from, to;
    ShardMsg shard_msg;
  };
  std::deque<PendingShardMsg> shard_msgs;
  std::size_t shard_msgs_sent = 0;  ///< how many inter-shard messages were sent so far
  std::shared_ptr<NodeConfig> config;
  std::deque<Input> inputs;
  // The actions, by kind, for tests to look at.
  std::vector<Send> sends;         ///< held back by `hold_sends`
  std::vector<Land> lands;         ///< held back by `hold_lands`
  std::vector<HoldPayload> holds;  ///< with Hold::kStage
  std::size_t deferred = 0;        ///< how many HoldPayloads had Hold::kDefer
  std::size_t copies = 0;          ///< how many CopyPayloads there were
  std::vector<DropPayload> drops;
  std::vector<Reject> rejects;
  std::vector<Cancel> cancels;
  std::vector<Done> dones;
  std::vector<Drained> drained;  ///< an NI once all shards have reported it
  std::map<std::uint32_t, std::size_t> drained_shards;
  std::vector<Applied> applied;
  std::vector<Note> notes;
  std::map<std::uint64_t, std::vector<std::byte>> payloads;  ///< by rx, until landed or dropped
  bool hold_sends = false, hold_lands = false;
  bool hold_shard_msgs =
      false;            ///< inter-shard messages stay in `shard_msgs` until release_shard_msgs()
  int send_status = 0;  ///< the status of each SendDone; with an error the message does not arrive
  Health send_health = Health::kOk;
};

class Pipe {
 public:
  explicit Pipe(const std::vector<Nid>& a_nids = {tcp(1)},
                const std::vector<Nid>& b_nids = {tcp(2)},
                std::uint32_t shards = shards_of_a_node())
      : a(a_nids, 0xa, shards), b(b_nids, 0xb, shards) {
    configure(a);
    configure(b);
    for (End* end : {&a, &b}) introduce(*end);
  }

  End a, b;
  std::vector<End*> ends{&a, &b};  ///< a test may add others
  Instant now{std::chrono::seconds(1000)};
  bool whole = false;  ///< payloads are in memory when their headers come

  void configure(End& end) {
    ++end.config->generation;
    input(end, Config{std::make_shared<NodeConfig>(*end.config)});
    settle();
  }
  /// Notifies all shards that these NIDs are discovered, so that messages to them go at once.
  void introduce(End& end, const std::vector<Nid>& nids) {
    const std::size_t before = end.shard_msgs_sent;
    const ShardMsg shard_msg{shard_msg::Discovered{nids, 0}};
    for (std::uint32_t i = 0; i < end.shards.size(); ++i)
      enter(end, i, FromShard{kControlShard, &shard_msg});
    end.shard_msgs_sent = before;
  }
  void introduce(End& end) {
    std::vector<Nid> nids;
    for (std::uint8_t host = 1; host < 10; ++host)
      for (const std::uint16_t net : {0, 1}) nids.push_back(tcp(host, net));
    introduce(end, nids);
  }
  /// Gives an input to the shards that it is for. settle() delivers its effects to the other node.
  void input(End& end, const Input& in) {
    for (const std::uint32_t shard : shards_for(end, in)) enter(end, shard, in);
  }
  /// When the node wants its next Tick: the earliest deadline of its shards.
  static Instant next_deadline(const End& end) {
    Instant next = kNever;
    for (const auto& shard : end.shards) next = std::min(next, shard->next_deadline());
    return next;
  }
  void settle() {
    while (std::ranges::any_of(ends, [](const End* end) { return !end->inputs.empty(); }))
      for (End* end : ends) {
        if (end->inputs.empty()) continue;
        const Input in = end->inputs.front();
        end->inputs.pop_front();
        input(*end, in);
      }
  }
  template <class Call>
  Call call(End& end, Call body, int* status = nullptr) {
    ApiCall api{std::move(body)};
    call_among(end.placement, end.caller, api,
               [&](std::uint32_t shard, ApiCall& part) { enter(end, shard, Api{&part}); });
    settle();
    if (status != nullptr)
      *status = api.status;
    else
      EXPECT_EQ(api.status, 0) << api.reason;
    return std::get<Call>(api.body);
  }
  void tick(Duration passed) {
    now += passed;
    for (End* end : ends) input(*end, Tick{});
    settle();
  }

  // ---- short forms of the API calls
  MdHandle bind(End& end, std::vector<std::byte>& bytes, EventSink* sink,
                std::int32_t threshold = kThresholdInfinite, std::uint32_t options = 0,
                UnlinkMode unlink = UnlinkMode::kUnlink) {
    const iovec fragment{bytes.data(), bytes.size()};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.threshold = threshold;
    spec.options = options;
    spec.sink = sink;
    return call(end, call::MdBind{spec, unlink}).md;
  }
  struct Post {
    Portal portal{5};
    MatchBits match{7}, ignore{0};
    ProcessId id{};
    std::uint32_t options = kOpPut;
    std::int32_t threshold = kThresholdInfinite;
    std::uint32_t max_size = 0;
    UnlinkMode unlink = UnlinkMode::kUnlink;
    InsertPosition position = InsertPosition::kAfter;
    UnlinkMode me_unlink = UnlinkMode::kUnlink;
  };
  MdHandle attach(End& end, std::vector<std::byte>& bytes, EventSink* sink, const Post& post) {
    const MeHandle me = call(end, call::MeAttach{post.portal, post.id, post.match, post.ignore,
                                                 post.me_unlink, post.position})
                            .me;
    const iovec fragment{bytes.data(), bytes.size()};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.threshold = post.threshold;
    spec.max_size = post.max_size;
    spec.options = post.options;
    spec.sink = sink;
    return call(end, call::MdAttach{me, spec, post.unlink}).md;
  }
  MdHandle attach(End& end, std::vector<std::byte>& bytes, EventSink* sink) {
    return attach(end, bytes, sink, Post{});
  }
  int put(End& end, MdHandle md, const Nid& to, AckRequest ack = AckRequest::kNoAck,
          std::uint64_t bits = 7, std::uint32_t portal = 5, std::uint32_t offset = 0,
          const Nid& self = Nid::any()) {
    PutRequest request;
    request.md = md;
    request.target = process(to);
    request.portal = {portal};
    request.match_bits = {bits};
    request.offset = offset;
    request.hdr_data = 0x1234;
    request.ack = ack;
    request.self = self;
    int status = 0;
    call(end, call::Put{request}, &status);
    return status;
  }
  /// A PUT to exactly this NID, even if its peer has others.
  int put_there(End& end, MdHandle md, const Nid& to, AckRequest ack = AckRequest::kNoAck) {
    return put(end, md, to, ack, 7, 5, 0, tcp(1, to.net().num));
  }
  int get(End& end, MdHandle md, const Nid& from, std::uint64_t bits = 7, std::uint32_t portal = 5,
          std::uint32_t offset = 0, const Nid& self = Nid::any()) {
    GetRequest request;
    request.md = md;
    request.target = process(from);
    request.portal = {portal};
    request.match_bits = {bits};
    request.offset = offset;
    request.self = self;
    int status = 0;
    call(end, call::Get{request}, &status);
    return status;
  }
  int unlink(End& end, MdHandle md) {
    int status = 0;
    call(end, call::MdUnlink{md}, &status);
    return status;
  }
  call::Show show(End& end) { return call(end, call::Show{}); }
  std::vector<PeerShow> peers_in_parts(End& end) {
    std::vector<PeerShow> all;
    PeerList list(end.placement.shards());
    for (;;) {
      const auto part = list.next([&](ApiCall& api) {
        call_among(end.placement, end.caller, api,
                   [&](std::uint32_t shard, ApiCall& asked) { enter(end, shard, Api{&asked}); });
      });
      if (part.empty()) return all;
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  std::uint64_t dropped(End& end, DropReason reason) {
    return show(end).drops.at(static_cast<std::size_t>(reason)).count;
  }

  /// A header comes in at a node from a neighbour `hop` that is neither a nor b. Returns its
  /// RxTicket.
  RxTicket arrive(End& end, const wire::LnetHeader& header, const Nid& hop, NiId ni = kTcp,
                  std::vector<std::byte> payload = {}) {
    const RxTicket rx{++next_rx_};
    payload.resize(header.payload_length <= limits::kMtu ? header.payload_length : 0);
    end.payloads[rx.value] = payload;
    input(end, HeaderArrived{ni, {hop, Pid::lustre()}, &header, rx, {}});
    settle();
    return rx;
  }
  /// Carries out the Sends or Lands that were held back.
  void release_sends(End& end) {
    std::vector<Send> held;
    held.swap(end.sends);
    for (const Send& send : held) deliver(end, send);
    settle();
  }
  void release_lands(End& end) {
    std::vector<Land> held;
    held.swap(end.lands);
    for (const Land& land : held) do_land(end, land);
    settle();
  }
  void release_shard_msgs(End& end) {
    end.hold_shard_msgs = false;
    deliver_shard_msgs(end);
    settle();
  }
  /// Delivers the first of the held inter-shard messages.
  void release_shard_msg(End& end) {
    deliver_shard_msg(end);
    settle();
  }
  void finish_send(End& end, const Send& send, int status, Health health = Health::kOk) {
    input(end, SendDone{send.tx, status, health});
    settle();
  }

 private:
  static std::vector<std::uint32_t> shards_for(const End& end, const Input& in) {
    if (const auto shard = shard_of(end.placement, in)) return {*shard};
    std::vector<std::uint32_t> all(end.shards.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  void enter(End& end, std::uint32_t shard, const Input& in) {
    step(end, shard, in);
    deliver_shard_msgs(end);
  }
  void deliver_shard_msgs(End& end) {
    while (!end.shard_msgs.empty() && !end.hold_shard_msgs) deliver_shard_msg(end);
  }
  void deliver_shard_msg(End& end) {
    const End::PendingShardMsg pending = std::move(end.shard_msgs.front());
    end.shard_msgs.pop_front();
    step(end, pending.to, FromShard{pending.from, &pending.shard_msg});
  }
  void step(End& end, std::uint32_t shard, const Input& in) {
    Actions actions;  // not the end's: carrying one out may step the same end again
    end.shards[shard]->step(now, in, actions);
    for (const Action& action : actions)
      if (const auto* to_shard = std::get_if<ToShard>(&action)) {
        ++end.shard_msgs_sent;
        end.shard_msgs.push_back({shard, to_shard->to, std::move(*to_shard->shard_msg)});
      } else {
        carry_out(end, action);
      }
  }
  void carry_out(End& end, const Action& action) {
    if (auto* send = std::get_if<Send>(&action)) {
      end.hold_sends ? end.sends.push_back(*send) : deliver(end, *send);
    } else if (auto* land = std::get_if<Land>(&action)) {
      end.hold_lands ? end.lands.push_back(*land) : do_land(end, *land);
    } else if (auto* copy = std::get_if<CopyPayload>(&action)) {
      ++end.copies;
      EXPECT_EQ(copy->to.size(), copy->from.size());
      if (!copy->to.empty()) std::memcpy(copy->to.data(), copy->from.data(), copy->from.size());
    } else if (auto* hold = std::get_if<HoldPayload>(&action)) {
      hold->how == Hold::kDefer ? void(++end.deferred) : end.holds.push_back(*hold);
    } else if (auto* drop = std::get_if<DropPayload>(&action)) {
      EXPECT_EQ(end.payloads.at(drop->rx.value).size(), drop->rlen);
      end.payloads.erase(drop->rx.value);
      end.drops.push_back(*drop);
    } else if (auto* reject = std::get_if<Reject>(&action)) {
      end.payloads.erase(reject->rx.value);
      end.rejects.push_back(*reject);
    } else if (auto* cancel = std::get_if<Cancel>(&action)) {
      end.cancels.push_back(*cancel);
    } else if (auto* post = std::get_if<core::Post>(&action)) {
      post->sink->on_event(post->event);
    } else if (auto* ended = std::get_if<CallDone>(&action)) {
      end.dones.push_back(*ended->done);
    } else if (auto* drained = std::get_if<Drained>(&action)) {
      if (++end.drained_shards[drained->ni.value] == end.shards.size())
        end.drained.push_back(*drained);
    } else if (auto* applied = std::get_if<Applied>(&action)) {
      end.applied.push_back(*applied);
    } else if (auto* note = std::get_if<Note>(&action)) {
      end.notes.push_back(*note);
    }
  }
  /// Delivers a Send to the node that has the destination NID. If there is no such node, the Send
  /// fails.
  void deliver(End& from, const Send& send) {
    End* to = nullptr;
    NiId ni{};
    for (End* end : ends)
      for (const NiConfig& config : end->config->nis)
        if (config.nid == send.hop.nid && (!config.nid.is_loopback() || end == &from)) {
          to = end;
          ni = config.id;
        }
    const int status = to == nullptr ? -EHOSTUNREACH : from.send_status;
    from.inputs.push_back(SendDone{send.tx, status, status == 0 ? Health::kOk : from.send_health});
    if (status != 0) return;
    const RxTicket rx{++next_rx_};
    to->payloads[rx.value] = gather(send.payload);
    headers_.push_back(send.header);
    const ByteView payload = whole ? ByteView(to->payloads[rx.value]) : ByteView{};
    const auto by = std::ranges::find(from.config->nis, send.ni, &NiConfig::id);
    Hop hop{send.header.src_nid, send.header.src_pid};
    if (by != from.config->nis.end() && by->nid != hop.nid) hop = {by->nid, Pid::lustre()};
    to->inputs.push_back(HeaderArrived{ni, hop, &headers_.back(), rx, payload, whole});
  }
  static std::vector<std::byte> gather(const Region& region) {
    std::vector<std::byte> all;
    for (std::uint32_t i = 0; i < region.count; ++i) {
      const auto* base = static_cast<const std::byte*>(region.fragments[i].iov_base);
      all.insert(all.end(), base, base + region.fragments[i].iov_len);
    }
    if (region.length == 0) return {};
    return {all.begin() + region.offset, all.begin() + region.offset + region.length};
  }
  void do_land(End& end, const Land& land) {
    std::vector<std::byte> payload = std::move(end.payloads.at(land.rx.value));
    end.payloads.erase(land.rx.value);
    EXPECT_EQ(payload.size(), land.rlen);
    EXPECT_LE(land.sink.length, land.rlen);
    EXPECT_EQ(copy_to(land.sink, payload), land.sink.length);
    end.inputs.push_back(PayloadLanded{land.msg, 0, Health::kOk});
  }
  /// Returns the number of bytes copied.
  static std::uint32_t copy_to(const Region& sink, ByteView payload) {
    std::uint32_t skip = sink.offset, done = 0;
    for (std::uint32_t i = 0; i < sink.count && done < sink.length; ++i) {
      const iovec& f = sink.fragments[i];
      if (skip >= f.iov_len) {
        skip -= static_cast<std::uint32_t>(f.iov_len);
        continue;
      }
      const auto n =
          std::min<std::uint32_t>(static_cast<std::uint32_t>(f.iov_len) - skip, sink.length - done);
      std::memcpy(static_cast<std::byte*>(f.iov_base) + skip, payload.data() + done, n);
      done += n;
      skip = 0;
    }
    return done;
  }

  std::uint64_t next_rx_ = 0;
  std::deque<wire::LnetHeader> headers_;
};

inline std::vector<std::byte> bytes(std::size_t size, std::uint8_t first = 0) {
  std::vector<std::byte> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::byte>(first + i);
  return all;
}

}  // namespace ulnet::core::test
