// Memory: a message allocates nothing in the steady state, and an idle peer takes little. Also the
// guarantees about events, under random traffic. spec/core-semantics.md 18.
#include <gmock/gmock.h>
#include <malloc.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <map>
#include <new>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/path/directory.h"
#include "lnet/core/path/peer.h"
#include "lnet/core/path/select.h"

namespace {
std::size_t allocations = 0;
std::size_t bytes_in_use = 0;
void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++allocations;
  bytes_in_use += malloc_usable_size(memory);
  return memory;
}
void give_back(void* memory) {
  bytes_in_use -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

// This program's operator new counts. It is not inlined, because otherwise the compiler warns that
// delete frees memory of malloc().
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(std::malloc(size)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give_back(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  give_back(memory);
}

namespace ulnet::core::test {
namespace {

class Counter : public EventSink {
 public:
  void on_event(const Event& event) override { last = event.status, ++count; }
  int count = 0;
  int last = 0;
};

/// Two nodes of one shard each without the driver of Pipe, so that only the shards allocate.
struct Bench {
  Bench() : a(0), b(0) {
    run(a, Config{config_of({tcp(1)}, 0xa)});
    run(b, Config{config_of({tcp(2)}, 0xb)});
    const ShardMsg discovered{shard_msg::Discovered{{tcp(1), tcp(2)}, 0}};
    for (Shard* shard : {&a, &b}) run(*shard, FromShard{kControlShard, &discovered});
    fragment = {memory.data(), memory.size()};
  }
  void run(Shard& shard, const Input& input) {
    actions.clear();
    shard.step(now, input, actions);
    for (const Action& action : actions)
      if (const auto* post = std::get_if<core::Post>(&action)) post->sink->on_event(post->event);
  }
  template <class Call>
  Call& api(Shard& shard, Call body) {
    call.body = body;
    run(shard, Api{&call});
    EXPECT_EQ(call.status, 0) << call.reason;
    return std::get<Call>(call.body);
  }
  template <class A>
  const A& only() {
    for (const Action& action : actions)
      if (const auto* found = std::get_if<A>(&action)) return *found;
    ADD_FAILURE();
    std::abort();
  }
  MdSpec spec(std::uint32_t options) {
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.options = options;
    spec.sink = &events;
    return spec;
  }
  /// Runs a PUT with ACK until the PUT and the ACK have ended.
  void round(MdHandle md) {
    now += std::chrono::microseconds(3);
    PutRequest request;
    request.md = md;
    request.target = process(tcp(2));
    request.portal = {5};
    request.match_bits = {7};
    request.ack = AckRequest::kAck;
    api(a, core::call::Put{request});
    const Send put = only<Send>();
    run(a, SendDone{put.tx, 0, Health::kOk});
    const ByteView payload(memory);
    run(b,
        HeaderArrived{kTcp, {tcp(1), Pid::lustre()}, &put.header, RxTicket{1}, payload, at_once});
    if (!at_once) {
      const Land land = only<Land>();
      run(b, PayloadLanded{land.msg, 0, Health::kOk});
    }
    const Send ack = only<Send>();
    run(b, SendDone{ack.tx, 0, Health::kOk});
    run(a, HeaderArrived{kTcp, {tcp(2), Pid::lustre()}, &ack.header, RxTicket{2}, {}});
  }

  Shard a, b;
  Instant now{std::chrono::seconds(1)};
  Actions actions;
  ApiCall call;
  Counter events;
  bool at_once = false;  ///< payloads come with their headers
  std::vector<std::byte> memory = bytes(64);
  iovec fragment{};
};

/// `at_once`: the payload comes with its header.
void puts_and_acks_allocate_nothing(bool at_once) {
  Bench bench;
  bench.at_once = at_once;
  const MeHandle me = bench.api(bench.b, call::MeAttach{{5}, {}, {7}, {}}).me;
  bench.api(bench.b, call::MdAttach{me, bench.spec(kOpPut | kManageRemote), UnlinkMode::kRetain});
  const MdHandle md = bench.api(bench.a, call::MdBind{bench.spec(0), UnlinkMode::kRetain}).md;
  for (int i = 0; i < 100; ++i) bench.round(md);
  const std::size_t before = allocations;
  const int events = bench.events.count;
  for (int i = 0; i < 1000; ++i) bench.round(md);
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(bench.events.count - events, 3000);  // SEND, PUT, ACK
}

TEST(SteadyState, APutAndItsAckAllocateNothing) { puts_and_acks_allocate_nothing(false); }
TEST(SteadyState, APutThatIsTakenAtOnceAllocatesNothing) { puts_and_acks_allocate_nothing(true); }

TEST(SteadyState, MdsThatComeAndGoAllocateNothing) {
  Bench bench;
  const std::vector<iovec> many(40, bench.fragment);
  const auto once = [&] {
    MdSpec target = bench.spec(kOpPut);
    target.threshold = 1;
    const MeHandle me =
        bench.api(bench.b, call::MeAttach{{5}, {}, {7}, {}, UnlinkMode::kUnlink}).me;
    MdSpec source = bench.spec(0);
    source.threshold = 2;
    bench.api(bench.b, call::MdAttach{me, target, UnlinkMode::kUnlink});
    bench.round(bench.api(bench.a, call::MdBind{source, UnlinkMode::kUnlink}).md);
    source.fragments = many;
    const MdHandle wide = bench.api(bench.a, call::MdBind{source, UnlinkMode::kUnlink}).md;
    bench.api(bench.a, call::MdUnlink{wide});
  };
  for (int i = 0; i < 100; ++i) once();
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) once();
  EXPECT_EQ(allocations - before, 0U);
}

TEST(SteadyState, AnIdlePeerTakesLittleMemory) {
  Bench bench;
  wire::LnetHeader ping;
  ping.dest_nid = tcp(2);
  ping.dest_pid = ping.src_pid = Pid::lustre();
  wire::GetPart get;
  get.match_bits = 0x8000000000000000ULL;
  get.sink_length = 272;
  ping.part = get;
  constexpr std::uint32_t kPeers = 10000;
  const auto hear_from = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = first; i < first + count; ++i) {
      ping.src_nid = Nid::small({NetType::kTcp, 0}, 0x0b000000U + i);
      bench.run(bench.b,
                HeaderArrived{kTcp, {ping.src_nid, Pid::lustre()}, &ping, RxTicket{i + 1}, {}});
      bench.run(bench.b, SendDone{bench.only<Send>().tx, 0, Health::kOk});
    }
  };
  hear_from(0, 100);
  const std::size_t before = bytes_in_use;
  hear_from(100, kPeers);
  const std::size_t per_peer = (bytes_in_use - before) / kPeers;
  RecordProperty("bytes_per_idle_peer", static_cast<int>(per_peer));
  std::printf("an idle peer with one NID takes %zu bytes\n", per_peer);
  EXPECT_LE(per_peer, 700U);
}

Nid numbered(std::uint32_t n) { return Nid::small({NetType::kTcp, 0}, 0x0b000000U + n); }

/// The bytes that `count` calls of `make(i)` allocate, less those that they free, per call.
template <class Make>
std::size_t bytes_for_each(std::uint32_t count, Make&& make) {
  const std::size_t before = bytes_in_use;
  for (std::uint32_t i = 0; i < count; ++i) make(i);
  return (bytes_in_use - before) / count;
}

// The memory of a known peer, by its parts. An index is between 3/8 and 3/4 full; here it is just
// larger than half.
TEST(SteadyState, APeerOfWhichMuchIsKnownTakesLittleMemory) {
  constexpr std::uint32_t kPeers = 9000, kNids = 4;
  Directory directory;
  const std::size_t known = bytes_for_each(kPeers, [&](std::uint32_t i) {
    std::vector<Nid> nids;
    for (std::uint32_t n = 0; n < kNids; ++n) nids.push_back(numbered(i * kNids + n));
    directory.learn(directory.meet(nids[0]), nids, true);
  });
  PeerTable table;
  const std::size_t peer_entry = bytes_for_each(kPeers * kNids, [&](std::uint32_t i) {
    table.set_peer_entry(table.use(numbered(i)), directory.peer_entry_of(numbered(i)));
  });
  const std::size_t ni =
      bytes_for_each(kPeers * kNids, [&](std::uint32_t i) { table.use_ni(numbered(i), 8); });
  RecordProperty("bytes_in_the_directory", static_cast<int>(known));
  RecordProperty("bytes_of_a_nid_in_a_shard", static_cast<int>(peer_entry));
  RecordProperty("bytes_of_a_peer_ni", static_cast<int>(ni));
  std::printf(
      "a peer with 4 NIDs in the directory %zu, a NID in a shard %zu, a peer NI %zu bytes\n", known,
      peer_entry, ni);
  EXPECT_LE(known + kNids * peer_entry, 1024U) << "known, and not used";
  EXPECT_LE(ni, 384U);
  EXPECT_LE(peer_entry, 104U);
}

TEST(SteadyState, TheChoiceOfARouteAllocatesNothing) {
  constexpr std::uint32_t kManyGateways = 500;
  constexpr NetId kFar{NetType::kTcp, 7};
  const auto config = config_of({tcp(1)}, 0xa);
  NiTable nis;
  nis.apply(*config);
  PeerTable peers;
  auto list = std::make_shared<RouteList>();
  for (std::uint32_t i = 0; i < kManyGateways; ++i) {
    ASSERT_TRUE(list->add({kFar, numbered(i)}, i));
    peers.use_ni(numbered(i), 8);
  }
  RouteTable table;
  table.apply(list, true, peers);
  const RouteView view{table, peers, *config};
  const Nid target = tcp(5, 7), any = Nid::any();
  SendIntent intent{target, Pid::lustre(), any, nullptr, nullptr, true};
  intent.routes = &view;
  const auto send = [&] {
    const Choice choice = select(nis, intent);
    ASSERT_EQ(choice.status, 0);
    take_turn(nis, choice, &view);
    PeerNi& gateway = *peers.find_ni(choice.hop.nid);
    gateway.queued_bytes += 100;
    peers.changed(*gateway.known);
  };
  send();
  const std::size_t before = allocations;
  for (std::uint32_t i = 1; i < 2 * kManyGateways; ++i) send();
  EXPECT_EQ(allocations - before, 0U);
  peers.for_each_ni([](PeerNi& ni) { EXPECT_EQ(ni.queued_bytes, 200); });
}

// ---- the guarantees of core-semantics.md 18 under random traffic --------------------------------

/// Checks the events of every MD as they come.
class Promises : public EventSink {
 public:
  struct Story {
    int sends_ok = 0, sends_failed = 0, acks = 0, replies = 0, last = 0;
  };
  void on_event(const Event& event) override {
    Story& story = stories[event.md.cookie];
    RC_ASSERT(story.last == 0);  // 18.1: nothing after the last one
    if (event.type == EventType::kSend) ++(event.status == 0 ? story.sends_ok : story.sends_failed);
    if (event.type == EventType::kAck) ++story.acks;
    if (event.type == EventType::kReply) ++story.replies;
    if (event.unlinked) story.last = 1;
  }
  std::map<std::uint64_t, Story> stories;
};

struct Operation {
  MdHandle md;
  bool get = false, ack = false, begun = false;
};

// spec/core-semantics.md 9
RC_GTEST_PROP(Promises, HoldUnderRandomTraffic,
              ()) {  // spec/core-semantics.md 18.1, 18.4, 18.5, 18.6, 18.12, 18.13
  Pipe pipe;
  const int peer_credits = *rc::gen::inRange(1, 4);
  pipe.a.config->nis[1].tunables.peer_credits = peer_credits;
  pipe.a.config->nis[1].tunables.credits = *rc::gen::inRange(1, 4);
  pipe.configure(pipe.a);
  Promises promises;
  auto source = bytes(16), sink = bytes(16);
  if (*rc::gen::arbitrary<bool>())
    pipe.attach(
        pipe.b, sink, nullptr,
        {.options = kOpPut | kOpGet | kManageRemote, .threshold = *rc::gen::inRange(1, 20)});
  pipe.a.hold_sends = true;
  std::vector<Operation> operations;
  std::vector<Send> in_flight;
  const auto collect = [&] {
    in_flight.insert(in_flight.end(), pipe.a.sends.begin(), pipe.a.sends.end());
    pipe.a.sends.clear();
    RC_ASSERT(static_cast<int>(in_flight.size()) <= peer_credits);  // 18.13
  };
  const int steps = *rc::gen::inRange(1, 80);
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
      case 1: {  // one operation on an MD of its own
        Operation op;
        op.get = *rc::gen::arbitrary<bool>();
        op.ack = *rc::gen::arbitrary<bool>();
        op.md = pipe.bind(pipe.a, source, &promises, op.get || op.ack ? 2 : 1);
        op.begun = true;
        const int status = op.get ? pipe.get(pipe.a, op.md, tcp(2))
                                  : pipe.put(pipe.a, op.md, tcp(2),
                                             op.ack ? AckRequest::kAck : AckRequest::kNoAck);
        RC_ASSERT(status == 0);
        operations.push_back(op);
        break;
      }
      case 2:
      case 3: {  // a Send ends, with or without an error
        if (in_flight.empty()) break;
        const auto which =
            static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, in_flight.size()));
        const Send send = in_flight[static_cast<std::size_t>(which)];
        in_flight.erase(in_flight.begin() + which);
        if (*rc::gen::inRange(0, 4) == 0) {
          pipe.finish_send(pipe.a, send, -ECONNRESET, Health::kRemoteDropped);
        } else {
          pipe.a.sends.push_back(send);
          std::vector<Send> woken;
          pipe.release_sends(pipe.a);
        }
        break;
      }
      case 4: {  // unlink an MD that may be gone already
        if (operations.empty()) break;
        pipe.unlink(pipe.a, operations[*rc::gen::inRange<std::size_t>(0, operations.size())].md);
        break;
      }
      default:
        pipe.tick(std::chrono::seconds(*rc::gen::inRange(1, 60)));
    }
    collect();
  }
  while (!in_flight.empty()) {
    const Send send = in_flight.back();
    in_flight.pop_back();
    pipe.finish_send(pipe.a, send, 0);
    collect();
  }
  pipe.tick(std::chrono::seconds(200)), pipe.release_sends(pipe.a);  // time-outs; a ping
  for (const Operation& op : operations) {
    if (promises.stories[op.md.cookie].last == 0) pipe.unlink(pipe.a, op.md);
    const Promises::Story& story = promises.stories[op.md.cookie];
    RC_ASSERT(story.last == 1);                            // 18.1
    RC_ASSERT(story.sends_ok + story.sends_failed <= 1);   // at most one SEND
    RC_ASSERT(story.acks <= (op.ack && !op.get ? 1 : 0));  // 18.4
    RC_ASSERT(story.replies <= (op.get ? 1 : 0));          // 18.5
    if (story.sends_failed) RC_ASSERT(story.acks + story.replies <= 1);
  }
  const auto a = pipe.show(pipe.a), b = pipe.show(pipe.b);
  RC_ASSERT(a.statistics.msgs_alloc == 0U);
  RC_ASSERT(a.statistics.rst_alloc == 0U);
  if (!a.peers.empty()) {
    RC_ASSERT(a.peers[0].nis[0].available_tx_credits == peer_credits);
    RC_ASSERT(a.peers[0].nis[0].tx_q_num_of_buf == 0U);
  }
  RC_ASSERT(b.statistics.send_count == a.statistics.recv_count + a.statistics.drop_count);  // 18.12
}

}  // namespace
}  // namespace ulnet::core::test
