#include "sim/world/world.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/nids_fixture.h"
#include "sim/world/acquaint_fixture.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Recorder final : EventSink {
  void on_event(const Event& event) override { events.push_back(event); }
  std::vector<EventType> types() const {
    std::vector<EventType> all;
    for (const Event& event : events) all.push_back(event.type);
    return all;
  }
  std::vector<Event> events;
};

/// Two nodes; b accepts PUTs at portal 5, match bits 7.
struct Pair {
  explicit Pair(std::uint64_t seed, DriverKind driver = DriverKind::kPipe,
                WorldOptions options = {})
      : world(seed, options),
        a(world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}, .driver = driver})),
        b(world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}, .driver = driver})) {}

  void post() {
    const auto me = b.me_attach({5}, {}, {7}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
    const iovec memory{target.data(), target.size()};
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.options = kOpPut | kManageRemote;
    spec.sink = &at_b;
    ASSERT_TRUE(b.md_attach(me.value(), spec, UnlinkMode::kRetain).has_value());
  }
  void put() {
    const iovec memory{source.data(), source.size()};
    MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.threshold = 2;  // SEND and ACK
    spec.sink = &at_a;
    PutRequest request;
    request.md = a.md_bind(spec, UnlinkMode::kUnlink).value();
    request.target = b.id();
    request.portal = {5};
    request.match_bits = {7};
    request.ack = AckRequest::kAck;
    ASSERT_TRUE(a.put(request).has_value());
  }

  std::vector<char> source = std::vector<char>(4096, 's'), target = std::vector<char>(4096, 't');
  Recorder at_a, at_b;
  World world;
  SimNode& a;
  SimNode& b;
};

TEST(World, CarriesAPutAndItsAck) {
  Pair pair(1);
  pair.post();
  pair.put();
  ASSERT_TRUE(pair.world.run_until_quiet().reached()) << pair.world.explain();
  EXPECT_EQ(pair.target, pair.source);
  EXPECT_EQ(pair.at_a.types(), (std::vector{EventType::kSend, EventType::kAck}));
  EXPECT_EQ(pair.at_b.types(), (std::vector{EventType::kPut}));
}

TEST(World, TheSameSeedHasTheSameDigest) {
  const auto digest = [](std::uint64_t seed) {
    WorldOptions options;
    options.link.jitter = milliseconds(5);
    Pair pair(seed, DriverKind::kPipe, options);
    pair.post();
    for (int i = 0; i < 20; ++i) pair.put();
    EXPECT_TRUE(pair.world.run_until_quiet().reached()) << pair.world.explain();
    return pair.world.digest();
  };
  EXPECT_EQ(digest(7), digest(7));
  EXPECT_NE(digest(7), digest(8));
}

TEST(World, ALostPutEndsByItsTimeOut) {
  Pair pair(1);
  pair.post();
  acquaint(pair.a, pair.b.nid());
  pair.world.wire().cut(pair.a.place(), pair.b.place(), true);
  pair.put();
  const Verdict verdict = pair.world.run_until_quiet();
  ASSERT_TRUE(verdict.reached()) << pair.world.explain();
  EXPECT_GT(pair.world.age(), seconds(40));
  EXPECT_TRUE(pair.at_b.events.empty());
  EXPECT_TRUE(pair.at_a.events.back().unlinked);
  EXPECT_EQ(pair.at_a.events.back().status, -ETIMEDOUT);
}

// a pings a peer NI in recovery; each ping starts as soon as the one before has failed
// (multirail.md 7).
TEST(World, PingsThatAreRepeatedForEverLeaveNothingElseUnderWay) {
  Pair pair(1);
  pair.post();
  pair.put();
  ASSERT_TRUE(pair.world.run_until_quiet().reached()) << pair.world.explain();
  EXPECT_TRUE(pair.world.quiet_except_pings());
  LinkModel lossy;
  lossy.loss_ppm = 1'000'000;
  pair.world.wire().set_model(pair.b.place(), pair.a.place(), lossy);
  core::ApiCall unwell{core::call::SetPeerNiHealth{pair.b.nid(), 0}};
  pair.a.call(unwell);
  ASSERT_EQ(unwell.status, 0);
  ASSERT_TRUE(pair.world.run_for(seconds(1)).reached());
  EXPECT_EQ(pair.world.run_until_quiet({.time = seconds(600)}).outcome, Outcome::kTimeUp);
  EXPECT_TRUE(pair.world.quiet_except_pings()) << pair.world.explain();
  // A user's PUT counts as under way until its deadline.
  pair.put();
  ASSERT_TRUE(pair.world.run_for(seconds(1)).reached());
  EXPECT_FALSE(pair.world.quiet_except_pings());
  ASSERT_TRUE(pair.world.run_for(seconds(300)).reached());
  EXPECT_TRUE(pair.at_a.events.back().unlinked);
  EXPECT_TRUE(pair.world.quiet_except_pings()) << pair.world.explain();
  // A user's ping counts as well.
  struct : PingSink {
    void on_ping(std::uint64_t, int, const PingReply&) override { over = true; }
    bool over = false;
  } sink;
  ASSERT_TRUE(
      pair.a.start_ping({.target = pair.b.id(), .source = {}, .timeout = seconds(9)}, sink));
  ASSERT_TRUE(pair.world.run_for(seconds(8)).reached());
  EXPECT_FALSE(sink.over || pair.world.quiet_except_pings());
  ASSERT_TRUE(pair.world.run_for(seconds(2)).reached());
  EXPECT_TRUE(sink.over && pair.world.quiet_except_pings()) << pair.world.explain();
}

TEST(World, RunningOutOfStepsIsAVerdict) {
  Pair pair(1);
  const auto never = [](World&) { return false; };
  EXPECT_EQ(pair.world.run_until(never).outcome, Outcome::kNothingDue);
  pair.a.after(seconds(10), [] {});
  EXPECT_EQ(pair.world.run_until(never, {.time = seconds(1)}).outcome, Outcome::kTimeUp);
  EXPECT_EQ(pair.world.age(), seconds(1));
  EXPECT_EQ(pair.world.run_until(never, {.steps = 0}).outcome, Outcome::kStepsUp);
}

TEST(World, AHeldMessageThatIsLostLeavesNothing) {
  Pair pair(1);
  ASSERT_TRUE(pair.b.set_lazy_portal({5}).has_value());
  pair.put();
  ASSERT_TRUE(pair.world.run_for(seconds(1)).reached());
  EXPECT_EQ(pair.b.leftovers().driver_messages, 1U);
  pair.a.crash();
  ASSERT_TRUE(pair.world.run_until_quiet().reached()) << pair.world.explain();
  EXPECT_EQ(pair.b.drops()[static_cast<std::size_t>(core::DropReason::kHeldLost)], 1U);
  EXPECT_EQ(pair.b.leftovers().driver_messages, 0U);
}

TEST(World, UnreadMessagesOfACrashedNodeCountAsLost) {
  Pair pair(1);
  pair.b.pause();
  pair.put();
  ASSERT_TRUE(pair.world.run_for(seconds(1)).reached());
  pair.b.crash(true);
  EXPECT_EQ(pair.world.exercised().lost[static_cast<std::size_t>(WireLoss::kNobody)], 1U);
}

TEST(World, ANodePingsAnother) {
  Pair pair(1);
  const auto reply = pair.a.ping({.target = pair.b.id(), .source = {}, .timeout = seconds(1)});
  ASSERT_TRUE(reply.has_value()) << reply.error().reason;
  EXPECT_EQ(reply->nids, (std::vector{tcp(2)}));
}

}  // namespace
}  // namespace ulnet::sim
