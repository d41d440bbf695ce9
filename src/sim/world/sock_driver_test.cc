#include "sim/world/sock_driver.h"

#include <gtest/gtest.h>

#include "lnet/core/contract/nids_fixture.h"
#include "sim/load/faults.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::seconds;

struct Counter final : EventSink {
  void on_event(const Event& event) override {
    if (event.status == 0) ++count;
  }
  int count = 0;
};

/// a sends PUTs to b, small ones on the control connection and larger ones on a bulk connection.
struct SockDriverTest : testing::Test {
  explicit SockDriverTest(const WorldOptions& options = ragged())
      : world(1, options),
        a(world.add_node({.nis = {{.nid = tcp(1)}}, .driver = DriverKind::kSock})),
        b(world.add_node({.nis = {{.nid = tcp(2)}}, .driver = DriverKind::kSock})) {
    const auto me = b.me_attach({5}, {}, {}, {~0ULL}, UnlinkMode::kRetain, InsertPosition::kAfter);
    const iovec piece{memory.data(), memory.size()};
    MdSpec spec;
    spec.fragments = {&piece, 1};
    spec.options = kOpPut | kManageRemote;
    spec.sink = &arrived;
    EXPECT_TRUE(b.md_attach(me.value(), spec, UnlinkMode::kRetain).has_value());
  }
  static WorldOptions ragged() {
    WorldOptions options;
    options.streams.split_ppm = options.streams.short_ppm = 300'000;
    return options;
  }
  void put(std::size_t bytes) {
    const iovec piece{memory.data(), bytes};
    MdSpec spec;
    spec.fragments = {&piece, 1};
    spec.threshold = 1;
    spec.sink = &sent;
    PutRequest request;
    request.md = a.md_bind(spec, UnlinkMode::kUnlink).value();
    request.target = b.id();
    request.portal = {5};
    ASSERT_TRUE(a.put(request).has_value());
  }

  std::vector<char> memory = std::vector<char>(8192, 'm');
  Counter sent, arrived;
  World world;
  SimNode& a;
  SimNode& b;
};

TEST_F(SockDriverTest, TakesOnlyTcp) {
  SimNode& node = world.add_node({.name = "c", .driver = DriverKind::kSock});
  const auto other = node.add_ni({.nid = Nid::small({NetType::kO2ib, 0}, 7)});
  EXPECT_EQ(other.error().code, -EINVAL);
}

TEST_F(SockDriverTest, AnotherNiOfEachNetHasAnAddressOfItsOwn) {
  const Nid large = Nid::parse("fd00::7@tcp2").value();
  SimNode& c = world.add_node(
      {.nis = {{.nid = tcp(3)}, {.nid = tcp(4, 1)}, {.nid = large}}, .driver = DriverKind::kSock});
  EXPECT_EQ(add_another_ni(c).value().net(), tcp(3).net());
  c.remove_ni(tcp(3));
  EXPECT_EQ(add_another_ni(c).value().net(), tcp(4, 1).net());
  c.remove_ni(tcp(4, 1));
  EXPECT_FALSE(add_another_ni(c).value().is_small());
}

TEST_F(SockDriverTest, WithoutADescriptorThereIsNoConnection) {
  NodeSetup setup{.nis = {{.nid = tcp(3)}}, .driver = DriverKind::kSock};
  setup.no_descriptor_ppm = 1'000'000;
  SimNode& c = world.add_node(setup);
  EXPECT_FALSE(c.ping({.target = b.id()}).has_value());
  EXPECT_FALSE(a.ping({.target = c.id()}).has_value());
  EXPECT_TRUE(a.ping({.target = b.id()}).has_value());
}

TEST_F(SockDriverTest, BytesOfADeadPeerAreRead) {
  put(8);
  put(8192);
  ASSERT_TRUE(world.run_until_quiet().reached());  // all connections are open
  ASSERT_EQ(arrived.count, 2);
  // All bytes have arrived at b's machine before b reads them, and so have the ends of the
  // connections.
  b.pause();
  for (int i = 0; i < 8; ++i) put(i % 2 == 0 ? 8 : 8192);
  world.run_for(seconds(1));
  ASSERT_EQ(sent.count, 10);
  a.crash();
  world.run_for(seconds(1));
  b.resume();
  world.run_for(seconds(1));
  EXPECT_EQ(arrived.count, 10);
}

TEST_F(SockDriverTest, IdlePeersAreKeptAlive) {
  put(8);
  world.run_for(std::chrono::minutes(10));
  EXPECT_GT(a.sock_counts()[static_cast<std::size_t>(lnd::sock::Count::kKeepalivesSent)] +
                b.sock_counts()[static_cast<std::size_t>(lnd::sock::Count::kKeepalivesSent)],
            10U);
  EXPECT_EQ(a.sock_counts()[static_cast<std::size_t>(lnd::sock::Count::kClosed)], 0U);
}

}  // namespace
}  // namespace ulnet::sim
