// The CPU partitions of a node: how they follow from parameters and a machine, and when the start
// fails. Source: spec/core-semantics.md 13.1, DESIGN.md 3.
#include "lnet/os/partitions.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "lnet/base/temp_folder_fixture.h"
#include "lnet/core/contract/cookie.h"
#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

constexpr const char* kTwoSockets = "pack:2 [numa] core:4 pu:2";  // CPUs 0-7 and 8-15

Result<Partitions> make(std::string_view pattern, std::uint32_t count, const char* machine,
                        Mode mode = Mode::kShared) {
  std::string warning;
  return Partitions::make(mode, pattern, count, {machine, [] { return 0U; }}, warning);
}

TEST(Partitions, TheDefaultNumberIsTheLargestPowerOfTwoWhoseSquareFits) {
  EXPECT_EQ(make("", 0, "pu:4")->count(), 1u);
  EXPECT_EQ(make("", 0, "pu:5")->count(), 2u);
  EXPECT_EQ(make("", 0, "pu:32")->count(), 4u);
  EXPECT_EQ(make("", 0, "pu:64")->count(), 8u);
}

TEST(Partitions, APatternWinsOverANumber) {
  EXPECT_EQ(make("N", 0, kTwoSockets)->count(), 2u);
  const auto made = make("0[0-3] 1[8] 2[9]", 2, kTwoSockets);
  ASSERT_EQ(made->count(), 3u);
  EXPECT_EQ(made->table().cpus(1), std::vector<std::uint32_t>{8});
}

TEST(Partitions, ErrorsNameThePartAtFault) {  // spec/core-semantics.md 13.1
  const auto reason = [](std::string_view pattern, std::uint32_t count) {
    const auto made = make(pattern, count, kTwoSockets);
    return made ? "" : made.error().reason;
  };
  EXPECT_NE(reason("0[0-3] 1[3-4]", 0).find("1[3-4]"), std::string::npos);
  EXPECT_NE(reason("0[0-3] 1[16]", 0).find("16"), std::string::npos);
  EXPECT_NE(reason("0[0-3", 0).find("0[0-3"), std::string::npos);
  EXPECT_NE(reason("", 17).find("17 CPU partitions on 16 CPUs"), std::string::npos);
  EXPECT_NE(make("N", 0, "numa:257 pu:1").error().reason.find("256"), std::string::npos);
}

TEST(Partitions, UnusuallyManyAreALineForTheLog) {
  std::string warning;
  ASSERT_TRUE(Partitions::make(Mode::kShared, "", 9, {"core:9 pu:1", current_cpu}, warning));
  EXPECT_NE(warning.find("9 CPU partitions"), std::string::npos) << warning;
}

TEST(Partitions, InlineModeHasOneAndRefusesMore) {  // spec/core-semantics.md 13.1
  EXPECT_EQ(make("", 0, "pu:64", Mode::kInline)->count(), 1u);
  EXPECT_EQ(make("", 1, "pu:64", Mode::kInline)->count(), 1u);
  EXPECT_EQ(make("", 2, "pu:64", Mode::kInline).error().code, -EINVAL);
  EXPECT_EQ(make("N", 0, kTwoSockets, Mode::kInline).error().code, -EINVAL);
}

TEST(Partitions, AThreadOutsideTheTableIsAlwaysOfTheSamePartition) {
  static std::uint32_t cpu = 0;
  std::string warning;
  const auto made = Partitions::make(Mode::kShared, "0[8,9] 1[10,11]", 0,
                                     {kTwoSockets, [] { return cpu; }}, warning);
  ASSERT_TRUE(made);
  const auto on = [&](std::uint32_t number) {
    cpu = number;
    return made->here();
  };
  EXPECT_EQ(on(8), 0u);
  EXPECT_EQ(on(11), 1u);
  std::set<std::uint32_t> seen;
  for (const std::uint32_t outside : {0U, 1U, 7U, 12U, 15U, 4711U}) {  // the last does not exist
    EXPECT_LT(on(outside), 2u);
    EXPECT_EQ(on(outside), on(outside));
    seen.insert(on(outside));
  }
  EXPECT_EQ(seen.size(), 2u) << "they are spread";
}

// ---- a node's partitions ------------------------------------------------------------------------

NodeOptions options(std::map<std::string, std::string> params, LogLines& log) {
  NodeOptions options;
  options.params = std::move(params);
  const std::string port = free_port();
  options.params.merge(std::map<std::string, std::string>{
      {"accept", "trust"}, {"accept_port", port}, {"accept_port_bulk", port}});
  options.log = LogLines::keep;
  options.log_context = &log;
  return options;
}

TEST(PartitionedNode, AMachineThatDoesNotFitPreventsTheStart) {
  LogLines log;
  const auto node = Node::start(options({{"cpu_pattern", "0[0] 0[1]"}}, log), machine_of(2));
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code, -EPERM);
  EXPECT_NE(node.error().reason.find("cpu_pattern"), std::string::npos);
}

TEST(PartitionedNode, ThreadsThatCannotBeBoundRunUnbound) {
  LogLines log;
  // CPUs that this machine does not have.
  auto node = Node::start(options({{"cpu_pattern", "0[1000-1003] 1[1004-1007]"}}, log),
                          {"core:1008 pu:1", [] { return 0U; }});
  ASSERT_TRUE(node) << node.error().reason;
  conf::NiItem ni;
  ni.interface = own_address(1);
  EXPECT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
  (*node)->stop({});
  node->reset();  // so that each of its threads has run once
  EXPECT_EQ(log.with("cannot be bound to partition"), 1u);
}

// DESIGN.md 3: pinned, may spin
TEST(PartitionedNode, DedicatedThreadsSpinWhenConfigured) {
  LogLines log;
  NodeOptions wanted = options({{"cpu_npartitions", "2"}, {"shard_spin", "1"}}, log);
  const auto of_shards = [](Node& node) {
    std::uint64_t cycles = 0, sleeps = 0, threads = 0;
    for (const lnd::ThreadDuty& thread : node.state().threads) {
      if (!thread.thread.starts_with("shard ")) continue;
      ++threads;
      cycles += thread.duty.cycles;
      sleeps += thread.duty.sleeps;
    }
    return std::tuple(threads, cycles, sleeps);
  };
  const auto ping_itself = [](Node& node) {  // partition 0 asks; partition 1 owns 0@lo
    PingRequest request;
    request.target = {Nid::loopback(), Pid::lustre()};
    EXPECT_TRUE(node.ping(request));
  };
  wanted.mode = Mode::kDedicated;
  auto node = Node::start(wanted, machine_of(2));
  ASSERT_TRUE(node) << node.error().reason;
  for (int i = 0; i < 100; ++i) ping_itself(**node);
  const auto [threads, cycles, sleeps] = of_shards(**node);
  EXPECT_EQ(threads, 2u);
  EXPECT_GT(cycles, 0u) << "inter-shard messages were read";
  EXPECT_EQ(sleeps, 0u);
  ASSERT_TRUE((*node)->change(SetParams{{{"shard_spin", "0"}}}));
  while (std::get<2>(of_shards(**node)) < 2) std::this_thread::yield();
  ping_itself(**node);
}

// spec/core-semantics.md 13.3
TEST(PartitionedNode, NisAreOnAllPartitionsOrOnThoseThatTheyAreBoundTo) {
  LogLines log;
  auto node = Node::start(options({{"npartitions", "4"}}, log), machine_of(4));
  ASSERT_TRUE(node) << node.error().reason;
  conf::NiItem ni;
  ni.interface = own_address(1);
  ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
  ni.cpts = {1, 3};
  ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 1}, ni}));
  ni.cpts = {1, 4};
  const auto refused = (*node)->change(AddNi{{NetType::kTcp, 2}, ni});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -ERANGE);
  ASSERT_TRUE((*node)->add_networks("tcp3(" + own_address(2) + "[0,2])"));
  const auto state = (*node)->state();
  ASSERT_EQ(state.nis.size(), 4u);
  EXPECT_EQ(state.nis[0].cpts, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(state.nis[1].cpts, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(state.nis[2].cpts, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(state.nis[3].cpts, (std::vector<std::uint32_t>{0, 2}));
}

/// The partitions that own peers of the net.
std::set<std::uint32_t> owners(Node& node, NetId net) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t host = 1; host < 40; ++host)
    seen.insert(node.cpt_of_nid(Nid::small(net, 0x0a000000U + host)));
  return seen;
}

// spec/core-semantics.md 13.2
TEST(PartitionedNode, TheFirstNisOfANetGiveItsPeersPartitions) {
  LogLines log;
  auto node = Node::start(options({{"npartitions", "4"}}, log), machine_of(4));
  ASSERT_TRUE(node) << node.error().reason;
  conf::NiItem ni;
  ni.interface = own_address(1);
  ni.cpts = {1, 3};
  ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
  EXPECT_THAT(owners(**node, {NetType::kTcp, 0}), ::testing::ElementsAre(1, 3));
  ni.interface = own_address(2);
  ni.cpts = {0};
  ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
  EXPECT_THAT(owners(**node, {NetType::kTcp, 0}), ::testing::ElementsAre(1, 3)) << "they stay";
  ASSERT_TRUE((*node)->add_networks("tcp3(" + own_address(3) + "[0]," + own_address(4) + "[2])"));
  EXPECT_THAT(owners(**node, {NetType::kTcp, 3}), ::testing::ElementsAre(0, 2));
  ASSERT_TRUE((*node)->change(DelNi{{NetType::kTcp, 0}}));
  ni.cpts = {2};
  ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
  EXPECT_THAT(owners(**node, {NetType::kTcp, 0}), ::testing::ElementsAre(2))
      << "the net was added again";
  ASSERT_TRUE((*node)->change(DelNi{{NetType::kTcp, 3}}));
  ni.interface = own_address(3);
  ASSERT_TRUE((*node)->change(AddNi{{NetType::kTcp, 3}, ni}));
  EXPECT_THAT(owners(**node, {NetType::kTcp, 3}), ::testing::ElementsAre(2))
      << "the NI that was expected has come, and is no longer expected";
}

// spec/core-semantics.md 3
TEST(PartitionedNode, AnEntryCanBeAttachedAtEachOfThem) {
  LogLines log;
  auto node = Node::start(options({{"npartitions", "4"}}, log), machine_of(4));
  ASSERT_TRUE(node) << node.error().reason;
  ASSERT_EQ((*node)->cpts(), 4U);
  for (const std::uint32_t cpt : {3U, 0U, 2U, 1U}) {
    const auto me = (*node)->me_attach_at(cpt, {50}, {}, {11}, {}, UnlinkMode::kUnlink);
    ASSERT_TRUE(me) << me.error().reason;
    EXPECT_EQ(core::shard_of_cookie(me->cookie), cpt);
    EXPECT_TRUE((*node)->md_attach(*me, {.options = kOpPut}, UnlinkMode::kUnlink));
  }
  EXPECT_EQ((*node)->me_attach_at(4, {50}, {}, {11}, {}, UnlinkMode::kUnlink).error().code,
            -ERANGE);
}

// spec/core-semantics.md 13.3
TEST(PartitionedNode, AnNiIsOnItsDevicesPartitionsUnlessBound) {
  const TempFolder devices;
  std::filesystem::create_directories(devices / "lo" / "device");
  std::ofstream(devices / "lo" / "device" / "numa_node") << "1\n";
  LogLines log;
  MachineView machine{kTwoSockets, [] { return 0U; }};  // node 1 is CPUs 8-15
  machine.net_devices = devices.path();
  const auto shown = [&](const char* pattern, std::vector<std::uint32_t> cpts = {}) {
    auto node = Node::start(options({{"cpu_pattern", pattern}}, log), machine);
    EXPECT_TRUE(node) << node.error().reason;
    conf::NiItem ni;
    ni.interface = own_address(1);
    ni.cpts = std::move(cpts);
    EXPECT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
    const NiShow show = (*node)->state().nis.back();
    EXPECT_EQ((*node)->state().nis.front().dev_cpt, -1) << "0@lo has no device";
    return std::pair(show.dev_cpt, show.cpts);
  };
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(shown("N"), std::pair(1, List{1}));
  EXPECT_EQ(shown("0[0-7] 1[8-9] 2[10-15]"), std::pair(2, (List{1, 2})));
  EXPECT_EQ(shown("N", {0}), std::pair(1, List{0})) << "a configured CPT is used";
  EXPECT_EQ(shown("0[0,8-9] 1[1,10]"), std::pair(0, (List{0, 1}))) << "all: not bound";
  EXPECT_EQ(shown("0[0-3] 1[4-7]"), std::pair(-1, (List{0, 1}))) << "its CPUs are left out";
}

TEST(Partitions, MemoryIsInThePartitionOfItsPagesNode) {  // spec/core-semantics.md 13.4
  MachineView machine{kTwoSockets, [] { return 0U; }};
  machine.node_of_memory = [](const void* byte) {
    const auto address = reinterpret_cast<std::uintptr_t>(byte);
    return address == 9 ? std::nullopt : std::optional(static_cast<std::uint32_t>(address));
  };
  const auto at = [](std::uintptr_t address) {
    return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
  };
  std::string warning;
  const auto made =
      Partitions::make(Mode::kShared, "0[0,8-9] 1[1-7] 2[10-15]", 0, machine, warning);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->cpt_of_memory(at(0)), 1) << "it has most CPUs of node 0";
  EXPECT_EQ(made->cpt_of_memory(at(1)), 2);
  EXPECT_EQ(made->cpt_of_memory(at(7)), -1) << "no CPU of that node is in a partition";
  EXPECT_EQ(made->cpt_of_memory(at(9)), -1) << "the system does not say";
  const std::uint32_t near = made->table().distance(1, 1), far = made->table().distance(1, 2);
  ASSERT_LT(near, far);
  EXPECT_EQ(made->distances(),
            (std::vector<std::uint32_t>{far, far, far, far, near, far, far, far, near}))
      << "partition 0 is on both nodes";
}

TEST(Partitions, OneNodeOrPartitionHasNoDistances) {
  EXPECT_TRUE(make("", 2, "core:4 pu:1")->distances().empty());
  EXPECT_TRUE(make("", 1, kTwoSockets)->distances().empty());
  EXPECT_EQ(make("N", 0, kTwoSockets)->distances().size(), 4U);
}

/// How often a node asked where memory lies, and the answer that it got.
std::atomic<int> asked_for_memory{0};
std::atomic<std::uint32_t> memory_node{0};

// spec/multirail.md 3.2, 3.2.B.5
TEST(PartitionedNode, AsksWhereMemoryLiesOnlyIfNisOfANetAreUnequallyFar) {
  const auto interfaces = machine::local_interfaces();
  const conf::LocalInterface* const other = conf::first_usable(interfaces);
  if (other == nullptr) GTEST_SKIP() << "this machine has no interface but lo";
  const std::string outside = other->name;
  const TempFolder devices;
  for (const auto& [device, node] :
       {std::pair(std::string("lo"), "0\n"), std::pair(outside, "1\n")}) {
    std::filesystem::create_directories(devices / device / "device");
    std::ofstream(devices / device / "device" / "numa_node") << node;
  }
  LogLines log;
  MachineView machine{kTwoSockets, [] { return 0U; }};
  machine.net_devices = devices.path();
  machine.node_of_memory = [](const void*) {
    ++asked_for_memory;
    return std::optional(memory_node.load());
  };
  auto node = Node::start(options({{"cpu_pattern", "N"}}, log), machine);
  ASSERT_TRUE(node) << node.error().reason;
  char memory[8];
  const iovec fragment{memory, sizeof memory};
  const auto asked_by_bind = [&](std::int32_t cpt = -1) {
    const int before = asked_for_memory;
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.cpt = cpt;
    const auto md = (*node)->md_bind(spec, UnlinkMode::kUnlink);
    EXPECT_TRUE(md);
    EXPECT_TRUE((*node)->md_unlink(*md));
    return asked_for_memory - before;
  };
  const auto add = [&](const std::string& interface) {
    conf::NiItem ni;
    ni.interface = interface;
    EXPECT_TRUE((*node)->change(AddNi{{NetType::kTcp, 0}, ni}));
  };
  add(own_address(1));
  EXPECT_EQ(asked_by_bind(), 0) << "there is one NI";
  add(own_address(2));
  EXPECT_EQ(asked_by_bind(), 0) << "both are at the same node";
  add(outside);
  EXPECT_EQ(asked_by_bind(), 1);
  EXPECT_EQ(asked_by_bind(0), 0) << "a caller that names the CPT is believed";
  // The NIs' distances from the memory of each partition, as path selection would see them.
  int seen = 0;
  for (const std::uint32_t cpt : {0U, 1U}) {
    const auto path = explain_path(**node, *Nid::parse("10.99.99.9@tcp"), Nid::any(), cpt);
    ASSERT_TRUE(path);
    ASSERT_EQ(path->shard, cpt);
    std::vector<std::uint32_t> distances;
    for (const core::Candidate& one : path->why.candidates) distances.push_back(one.distance);
    if (distances.empty()) continue;  // the other partition owns the peer and picks the NI
    ASSERT_EQ(distances.size(), 3U);
    ++seen;
    EXPECT_EQ(distances[0], distances[1]);
    EXPECT_EQ(distances[0] < distances[2], cpt == 0);
  }
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(explain_path(**node, *Nid::parse("10.99.99.9@tcp"), Nid::any(), 2).error().code,
            -ERANGE);
  EXPECT_EQ(explain_path(**node, Nid::any(), Nid::any(), {}).error().code, -EINVAL);
}

/// Traffic both ways between nodes whose partitions leave out some CPUs, on NIs bound to some
/// partitions, by threads on all CPUs. spec/core-semantics.md 13.1, 13.3.
TEST(PartitionedNode, CpusLeftOutAndNisBoundElsewhereDoNoHarm) {
  constexpr unsigned kThreads = 8, kEach = 20;
  LogLines log;
  NodeOptions wanted = options({{"cpu_pattern", "0[2] 1[3,5] 2[7]"}}, log);
  const MachineView machine = {"core:10 pu:1", machine_of(5).current_cpu};
  std::vector<char> source(64, 'x'), sink(64);
  Bell bell;
  Recorder sent(bell), received(bell);
  auto a = Node::start(wanted, machine).value();
  auto b = Node::start(wanted, machine).value();
  conf::NiItem ni;
  ni.interface = own_address(1);
  ni.cpts = {1};
  ASSERT_TRUE(a->change(AddNi{{NetType::kTcp, 0}, ni}));
  ni.interface = own_address(2);
  ni.cpts = {0, 2};
  ASSERT_TRUE(b->change(AddNi{{NetType::kTcp, 0}, ni}));
  const iovec to{sink.data(), sink.size()}, from{source.data(), source.size()};
  TwoNodes::target(*b, to, received, kOpPut | kManageRemote);
  const ProcessId there = b->get_id(1, false).value();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      const MdHandle md = a->md_bind(TwoNodes::spec(from, sent), UnlinkMode::kRetain).value();
      for (unsigned i = 0; i < kEach; ++i)
        EXPECT_TRUE(a->put(TwoNodes::put(md, there, AckRequest::kAck)));
    });
  for (auto& thread : threads) thread.join();
  {
    std::unique_lock lock(bell.mutex);
    EXPECT_TRUE(bell.rung.wait_for(lock, std::chrono::minutes(1), [&] {
      return sent.count(EventType::kAck) == kThreads * kEach;
    }));
  }
  a->stop({});
  b->stop({});
  EXPECT_EQ(received.count(EventType::kPut), kThreads * kEach);
}

}  // namespace
}  // namespace ulnet::node
