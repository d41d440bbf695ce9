#include "sim/scenario/script.h"

#include <gtest/gtest.h>

#include <array>

#include "lnet/core/flow/step.h"
#include "sim/load/faults.h"
#include "sim/scenario/reader.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A world with the nodes and the script of a scenario, and without its workload.
struct Played {
  explicit Played(const std::string& faults)
      : scenario(*read_scenario("edge: pipe\n"
                                "nodes:\n"
                                "    - name: a\n"
                                "      nids: [10.0.0.1@tcp, 10.0.1.1@tcp]\n"
                                "      partitions: 2\n"
                                "    - {name: b, nids: 10.0.0.2@tcp}\n"
                                "faults:\n" +
                                faults)) {
    for (const NodeSetup& node : scenario.nodes) world.add_node(node);
    world.add<Script>(scenario);
  }
  bool becomes_quiet() {
    world.wind_down();
    return world.run_until_quiet({.time = seconds(60)}).reached();
  }
  SimNode& a() { return world.node(0); }
  std::size_t rules() { return a().shard_state()->fault_rules.size(); }

  const Scenario scenario;
  World world{1};
};

const std::string kRule =
    "    - {rule: drop, at: 1s, for: 1s, node: a, source: \"*\", dest: \"*\", rate: 1}\n";

TEST(Script, DeletesARuleWhenThePauseOfItsNodeIsOver) {
  Played p(kRule + "    - {at: 1500ms, what: pause, node: a, for: 2s}\n");
  p.world.run_for(milliseconds(1200));
  EXPECT_EQ(p.rules(), 1U);
  p.world.run_for(seconds(2));
  EXPECT_EQ(p.rules(), 1U) << "a paused process deletes nothing";
  p.world.run_for(seconds(1));
  EXPECT_EQ(p.rules(), 0U);
}

TEST(Script, ARuleEndsWithItsNodeThatCrashesInAPause) {
  Played p(kRule +
           "    - {at: 1500ms, what: pause, node: a, for: 5s}\n"
           "    - {at: 2500ms, what: crash, node: a, for: 1s}\n");
  p.world.run_for(seconds(4));
  EXPECT_TRUE(p.a().up());
  EXPECT_EQ(p.rules(), 0U);
}

TEST(Script, EndsTheFaultsOfAPausedNodeWhenAllFaultsEnd) {
  Played p(
      "    - {rule: drop, at: 1s, node: a, source: \"*\", dest: \"*\", rate: 1}\n"
      "    - {at: 1s, what: ni-del, node: a}\n"
      "    - {at: 1s, what: discovery, node: a}\n"
      "    - {at: 1500ms, what: pause, node: a}\n");
  const std::int32_t before = p.a().setup().globals.discovery;
  p.world.run_for(seconds(2));
  ASSERT_EQ(p.a().state(), SimNode::State::kPaused);
  ASSERT_EQ(p.a().setup().nis.size(), 1U);
  ASSERT_NE(p.a().setup().globals.discovery, before);
  EXPECT_TRUE(p.becomes_quiet());
  EXPECT_EQ(p.rules(), 0U);
  EXPECT_EQ(p.a().setup().nis.size(), 2U);
  EXPECT_EQ(p.a().config()->nis.size(), 3U) << "with 0@lo";
  EXPECT_EQ(p.a().config()->globals.discovery, before);
}

TEST(Script, StartsANodeAgainWhoseShutdownIsUnderWayWhenAllFaultsEnd) {
  Played p("    - {at: 1s, what: shutdown, node: a}\n");
  // The machine takes seconds to send a PUT.
  p.world.wire().set_rate(p.a().place(0), 100);
  p.world.wire().set_rate(p.a().place(1), 100);
  p.world.run_for(milliseconds(900));
  struct : EventSink {
    void on_event(const Event&) override {}
  } sink;
  std::array<std::byte, 100> bytes{};
  const iovec memory{bytes.data(), bytes.size()};
  MdSpec spec;
  spec.fragments = {&memory, 1};
  spec.threshold = 1;
  spec.sink = &sink;
  PutRequest put;
  put.md = p.a().md_bind(spec, UnlinkMode::kUnlink).value();
  // The node has not discovered the target before.
  put.target = {p.world.node(1).nid(), Pid{5 | 0x80000000}};
  put.portal = {5};
  ASSERT_TRUE(p.a().put(put));
  p.world.run_for(milliseconds(200));
  ASSERT_EQ(p.a().state(), SimNode::State::kStopping);
  EXPECT_TRUE(p.becomes_quiet());
  EXPECT_TRUE(p.a().up());
}

TEST(Script, TurnsDiscoveryBackOfANodeThatIsDown) {
  Played p(
      "    - {at: 1s, what: discovery, node: a, for: 1s}\n"
      "    - {at: 1500ms, what: crash, node: a, for: 1s}\n");
  const std::int32_t before = p.a().setup().globals.discovery;
  p.world.run_for(seconds(3));
  ASSERT_TRUE(p.a().up());
  EXPECT_EQ(p.a().config()->globals.discovery, before);
}

TEST(Script, RevertsChangesOnAPausedNode) {
  Played p(
      "    - {what: setting, at: 1s, for: 1s, node: a, name: retry_count, value: 0}\n"
      "    - {what: policy, at: 1s, node: a, src: tcp, priority: 1}\n"
      "    - {what: peer-add, at: 1s, node: a, primary: 10.0.0.2@tcp}\n"
      "    - {at: 1500ms, what: pause, node: a}\n");
  p.world.run_for(seconds(3));
  EXPECT_EQ(p.a().config()->globals.retry_count, 0) << "a paused process sets nothing";
  EXPECT_TRUE(p.becomes_quiet());
  EXPECT_EQ(p.a().config()->globals.retry_count, 2);
  EXPECT_TRUE(p.a().config()->udsp->entries().empty());
  EXPECT_EQ(p.a().shard_state()->directory.find(p.world.node(1).nid()), nullptr);
  EXPECT_EQ(p.world.exercised().acts.at("fault peer-add"), 1U);
}

/// Another fault, which ends after the one that has added the NI, deletes it.
TEST(Script, AnNiThatWasAddedForAWhileDoesNotComeBack) {
  Played p(
      "    - {at: 1s, what: ni-add, node: a, for: 2s}\n"
      "    - {at: 2s, what: ni-del, node: a, for: 2s}\n");
  p.world.run_for(milliseconds(1500));
  EXPECT_EQ(p.a().setup().nis.size(), 3U);
  p.world.run_for(seconds(1));
  EXPECT_EQ(p.a().setup().nis.size(), 2U);
  p.world.run_for(seconds(5));
  EXPECT_EQ(p.a().setup().nis.size(), 2U);
}

// The second fault begins while the first one is in force, and ends after it.
TEST(Script, OverlappingFaultsRestoreALinksLoss) {
  Played p(
      "    - {at: 1s, what: loss, from: a, to: b, chance: 20%, for: 2s}\n"
      "    - {at: 2s, what: loss, from: a, to: b, chance: 50%, for: 2s}\n"
      "    - {at: 1s, what: duplication, from: a, to: b, chance: 30%, for: 10s}\n");
  const Link& link = p.world.wire().link(p.a().place(), p.world.node(1).place());
  const auto lost_after = [&](Duration more) {
    p.world.run_for(more);
    return link.model().loss_ppm / 10'000;
  };
  EXPECT_EQ(lost_after(milliseconds(500)), 0U);
  EXPECT_EQ(lost_after(seconds(1)), 20U);
  EXPECT_EQ(lost_after(seconds(1)), 50U);
  EXPECT_EQ(lost_after(seconds(1)), 50U);
  EXPECT_EQ(lost_after(seconds(1)), 0U);
  EXPECT_EQ(link.model().duplicate_ppm, 300'000U);
  EXPECT_TRUE(p.becomes_quiet());
  EXPECT_EQ(link.model(), p.world.wire().model());
}

TEST(Script, EachOfTwoLinkFaultsLastsUntilItsOwnEnd) {
  for (const std::string what : {"partition, from: a, to: b", "clog, from: a, to: b",
                                 "no-route, from: a, to: b", "interface, node: a"}) {
    Played p("    - {at: 1s, for: 2s, what: " + what + "}\n    - {at: 2s, for: 2s, what: " + what +
             "}\n");
    const Link& link = p.world.wire().link(p.a().place(), p.world.node(1).place());
    p.world.run_for(milliseconds(1500));
    EXPECT_FALSE(link.open()) << what;
    p.world.run_for(seconds(2));
    EXPECT_FALSE(link.open()) << what << ": the second fault is still active";
    p.world.run_for(seconds(1));
    EXPECT_TRUE(link.open()) << what;
  }
}

TEST(Script, AnNiHearsOfItsLinkWhenTheLastOfItsFaultsEnds) {
  Played p(
      "    - {at: 1s, for: 2s, what: interface, node: a}\n"
      "    - {at: 2s, for: 2s, what: interface, node: a}\n");
  const auto failed = [&] { return p.a().shard_state()->nis.find(p.a().nid())->fatal; };
  p.world.run_for(milliseconds(3500));
  EXPECT_TRUE(failed());
  p.world.run_for(seconds(1));
  EXPECT_FALSE(failed());
}

/// Random faults of a paused node: what the pause delays is done after the pause.
TEST(Faults, EndThoseOfAPausedNodeWhenAllFaultsEnd) {
  for (const FaultKind kind : {FaultKind::kNiDel, FaultKind::kNetDel, FaultKind::kDiscovery}) {
    World world(1);
    SimNode& c = world.add_node({.name = "c",
                                 .nis = {{.nid = *Nid::parse("10.0.0.3@tcp")},
                                         {.nid = *Nid::parse("10.1.0.3@tcp1")},
                                         {.nid = *Nid::parse("10.1.1.3@tcp1")}}});
    world.add_actor(make_fault(kind, {.every = milliseconds(1), .lasts = seconds(100)}));
    const NodeSetup before = c.setup();
    const auto struck = [&](const World&) {
      return c.setup().nis.size() < before.nis.size() ||
             c.setup().globals.discovery != before.globals.discovery;
    };
    ASSERT_TRUE(world.run_until(struck, {.time = seconds(10)}).reached()) << to_string(kind);
    c.pause();
    world.wind_down();
    world.run_for(seconds(1));
    c.resume();
    EXPECT_TRUE(world.run_until_quiet({.time = seconds(60)}).reached()) << world.explain();
    EXPECT_FALSE(struck(world)) << to_string(kind);
  }
}

}  // namespace
}  // namespace ulnet::sim
