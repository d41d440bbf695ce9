// Start, pause, crash, restart, shutdown and reconfiguration of a simulated node, over both
// drivers.
#include <gtest/gtest.h>

#include "lnet/core/contract/nids_fixture.h"
#include "lnet/core/flow/step.h"
#include "sim/load/loads.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct EventLog final : EventSink {
  void on_event(const Event& event) override { events.push_back(event); }
  std::vector<Event> events;
};

/// b accepts PUTs of one byte at portal 5 after post().
struct IncarnationOver : testing::TestWithParam<DriverKind> {
  IncarnationOver()
      : world(1),
        a(world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}, .driver = GetParam()})),
        b(world.add_node(
            {.name = "b", .nis = {{.nid = tcp(2)}, {.nid = tcp(3)}}, .driver = GetParam()})) {}

  void post() {
    const auto me = b.me_attach({5}, {}, {}, {~0ULL}, UnlinkMode::kUnlink, InsertPosition::kAfter);
    const iovec memory{&target, 1};
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = kOpPut | kManageRemote;
    spec.sink = &at_b;
    ASSERT_TRUE(b.md_attach(me.value(), spec, UnlinkMode::kRetain).has_value());
  }
  void put(const Nid& to) {
    const iovec memory{&source, 1};
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.threshold = 2;
    spec.sink = &at_a;
    PutRequest request;
    request.md = a.md_bind(spec, UnlinkMode::kUnlink).value();
    request.target = {to, Pid::lustre()};
    request.portal = {5};
    request.ack = AckRequest::kAck;
    ASSERT_TRUE(a.put(request).has_value());
  }
  void quiet() { ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain(); }
  bool acknowledged() const {
    for (const Event& event : at_a.events)
      if (event.type == EventType::kAck && event.status == 0) return true;
    return false;
  }

  char source = 's', target = 't';
  EventLog at_a, at_b;
  World world;
  SimNode& a;
  SimNode& b;
};
INSTANTIATE_TEST_SUITE_P(Drivers, IncarnationOver,
                         testing::Values(DriverKind::kPipe, DriverKind::kSock),
                         [](const auto& driver) { return std::string(to_string(driver.param)); });

TEST_P(IncarnationOver, ACrashedNodeComesBackAsAnother) {
  for (const bool silent : {false, true}) {
    post();
    put(tcp(2));
    quiet();
    ASSERT_TRUE(acknowledged());
    const std::uint64_t before = b.incarnation();
    b.crash(silent);
    EXPECT_EQ(b.state(), SimNode::State::kDown);
    EXPECT_EQ(b.shard_state(), nullptr);
    EXPECT_EQ(
        b.me_attach({5}, {}, {}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter).error().code,
        -ESHUTDOWN);
    at_a.events.clear();
    at_b.events.clear();
    put(tcp(2));
    quiet();
    EXPECT_TRUE(at_b.events.empty());
    EXPECT_FALSE(acknowledged());
    ASSERT_FALSE(at_a.events.empty());
    b.start();
    EXPECT_GT(b.incarnation(), before);
    world.run_for(seconds(120));  // longer than its peer waits before it reconnects
    post();
    at_a.events.clear();
    put(tcp(2));
    quiet();
    EXPECT_TRUE(acknowledged());
  }
}

TEST_P(IncarnationOver, APausedNodeGetsAllMessagesWhenResumed) {
  post();
  put(tcp(2));
  quiet();
  at_a.events.clear();
  at_b.events.clear();
  b.pause();
  EXPECT_EQ(b.put({}).error().code, -EAGAIN);
  bool ran = false;
  b.after(seconds(1), [&] { ran = true; });
  put(tcp(2));
  world.run_for(seconds(5));
  EXPECT_TRUE(at_b.events.empty());
  EXPECT_FALSE(ran);
  b.resume();
  quiet();
  EXPECT_EQ(at_b.events.size(), 1U);
  EXPECT_TRUE(acknowledged());
  EXPECT_TRUE(ran);
}

TEST_P(IncarnationOver, ShutdownEndsAllMessages) {
  auto& load = world.add<VerifiedLoad>("load");
  world.run_for(milliseconds(200));
  EXPECT_GT(load.under_way(), 0U);
  a.shutdown();
  EXPECT_FALSE(a.up());
  world.run_for(seconds(10));
  EXPECT_EQ(a.state(), SimNode::State::kStopped);
  Leftovers left = a.leftovers();
  left.mds = left.mes = 0;  // those of the load, which could not unlink them any more
  EXPECT_EQ(left, Leftovers{});
  world.wind_down();
  quiet();
  a.start();
  EXPECT_TRUE(a.up());
  EXPECT_EQ(a.leftovers().mds, 2U) << "LNet's own, at portal 0";
  world.run_for(seconds(120));
  post();
  put(tcp(2));
  quiet();
  EXPECT_TRUE(acknowledged());
}

TEST_P(IncarnationOver, AnNiGoesAndComesBackUnderTraffic) {
  auto& load = world.add<VerifiedLoad>("load");
  world.run_for(milliseconds(50));
  for (int i = 0; i < 5; ++i) {
    b.remove_ni(tcp(3));
    EXPECT_EQ(b.setup().nis.size(), 1U);
    const auto again = [&](World&) { return b.add_ni({.nid = tcp(3)}).has_value(); };
    ASSERT_TRUE(world.run_until(again, {.time = seconds(200)}).reached()) << world.explain();
    world.run_for(milliseconds(50));
  }
  EXPECT_EQ(b.add_ni({.nid = tcp(3)}).error().code, -EADDRINUSE);
  post();
  put(tcp(3));
  world.wind_down();
  quiet();
  EXPECT_TRUE(acknowledged());
  // Some messages go to a NID that the peer does not have at the moment.
  EXPECT_GT(load.counts().ended, 20 * load.counts().failed);
}

TEST_P(IncarnationOver, ANodeThatIsPausedTakesItsNewConfigurationWhenItIsResumed) {
  const std::size_t nis = b.config()->nis.size();
  core::Globals globals = b.setup().globals;
  globals.discovery = 0;
  b.pause();
  b.remove_ni(tcp(3));
  b.configure(globals);
  EXPECT_EQ(b.add_ni({.nid = tcp(9)}).error().code, -EAGAIN);
  world.run_for(milliseconds(50));
  EXPECT_EQ(b.config()->nis.size(), nis);
  EXPECT_EQ(b.config()->globals.discovery, 1U);
  b.resume();
  world.run_for(milliseconds(1));
  EXPECT_EQ(b.config()->nis.size(), nis - 1);
  EXPECT_EQ(b.config()->globals.discovery, 0U);
}

TEST_P(IncarnationOver, TheNiThatCarriesTheTrafficGoesAndComesBack) {
  auto& load = world.add<VerifiedLoad>("load", LoadSetup{.think = milliseconds(500)});
  world.run_for(seconds(5));
  b.remove_ni(tcp(2));  // its other NI, 10.0.0.3, remains
  world.run_for(seconds(200));
  ASSERT_TRUE(b.add_ni({.nid = tcp(2)}).has_value());
  world.run_for(seconds(1));
  post();
  put(tcp(2));
  world.wind_down();
  quiet();
  EXPECT_TRUE(acknowledged());
  EXPECT_GT(load.counts().ended, 2 * load.counts().failed);
}

TEST_P(IncarnationOver, ALinkGoesDownAndComesBack) {
  post();
  put(tcp(2));
  quiet();
  for (const unsigned rail : {0U, 1U}) b.set_link(rail, false);
  at_a.events.clear();
  at_b.events.clear();
  put(tcp(2));
  world.run_for(seconds(1));
  EXPECT_TRUE(at_b.events.empty());
  for (const unsigned rail : {0U, 1U}) b.set_link(rail, true);
  quiet();  // the stream goes on; the lost PUT ends at its deadline
  world.run_for(seconds(120));
  put(tcp(2));
  quiet();
  EXPECT_TRUE(acknowledged());
  EXPECT_EQ(at_b.events.size(), GetParam() == DriverKind::kSock ? 2U : 1U);
}

/// Production looks at the link of an NI when all shards know the NI.
TEST_P(IncarnationOver, ALinkThatFailsAsItsNiComesIsKnownToAllPartitions) {
  SimNode& c = world.add_node(
      {.name = "c", .nis = {{.nid = tcp(4)}}, .driver = GetParam(), .partitions = 3});
  ASSERT_TRUE(c.add_ni({.nid = tcp(5)}).has_value());
  c.set_link(1, false);
  world.run_for(milliseconds(1));
  for (std::uint32_t shard = 0; shard < c.shards(); ++shard)
    EXPECT_TRUE(c.shard_state(shard)->nis.find(tcp(5))->fatal) << shard;
  c.set_link(1, true);
  world.run_for(milliseconds(1));
  for (std::uint32_t shard = 0; shard < c.shards(); ++shard)
    EXPECT_FALSE(c.shard_state(shard)->nis.find(tcp(5))->fatal) << shard;
}

}  // namespace
}  // namespace ulnet::sim
