#include "lnet/lnd/sock/engine/view.h"

#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using wire::ConnType;

TEST(View, ShowsPeersAndTheirConnections) {
  EngineBench bench;
  bench.engine.for_each_peer([](const PeerView&) { ADD_FAILURE() << "nobody was met"; });
  const EngineBench::Trio trio = bench.trio();
  int peers = 0;
  bench.engine.for_each_peer([&](const PeerView& peer) {
    ++peers;
    EXPECT_EQ(peer.hop().nid, bench.peer);
    EXPECT_EQ(peer.ni(), bench.ni.id);
    EXPECT_EQ(peer.incarnation(), bench.hello(ConnType::kControl).src_incarnation);
    EXPECT_EQ(peer.allowed(), bench.ni.conns_per_peer);
    EXPECT_FALSE(peer.oneself());
    std::vector<Handle> conns;
    peer.for_each_conn([&](const ConnView& conn) { conns.push_back(conn.handle()); });
    EXPECT_EQ(conns, (std::vector<Handle>{trio.control, trio.bulk_out, trio.bulk_in}));
  });
  EXPECT_EQ(peers, 1);
}

TEST(View, ShowsAConnection) {
  EngineBench bench;
  const Handle handle = bench.accepted(bench.hello(ConnType::kBulkIn));
  const auto conn = bench.engine.see(handle);
  ASSERT_TRUE(conn.has_value());
  EXPECT_EQ(conn->type(), ConnType::kBulkOut);  // in the engine's view
  EXPECT_EQ(conn->version(), 3U);
  EXPECT_FALSE(conn->active());
  EXPECT_FALSE(conn->paused());
  EXPECT_FALSE(conn->has_unsent());
  EXPECT_EQ(conn->peer().hop().nid, bench.peer);
  bench.put({bench.peer, Pid::lustre()}, {});
  EXPECT_TRUE(bench.engine.see(handle)->has_unsent());
  bench.engine.ended(handle, 0);
  bench.engine.work();
  EXPECT_FALSE(bench.engine.see(handle).has_value());
}

TEST(View, AHelloToBeWrittenIsUnsent) {
  EngineBench bench;
  bench.put(kA);
  const Handle handle = bench.dialled();
  EXPECT_TRUE(bench.engine.see(handle)->has_unsent());
  bench.take(handle);
  EXPECT_FALSE(bench.engine.see(handle)->has_unsent());
}

TEST(View, ShowsWhereAMessageComes) {
  EngineBench bench;
  const Handle handle = bench.accepted(bench.hello(ConnType::kControl));
  std::optional<ConnView> seen;
  bench.on_header = [&] { seen = bench.engine.see(bench.messages.back().rx); };
  bench.feed(handle, put_bytes(bench.header(4), text_bytes("four")));
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->handle(), handle);
  EXPECT_FALSE(bench.engine.see(bench.messages.back().rx).has_value());  // the message has landed
}

TEST(View, ThePeersIncarnationIsUnknownUntilItsHello) {
  EngineBench bench;
  bench.connect(kA);
  bench.engine.for_each_peer([](const PeerView& peer) {
    EXPECT_EQ(peer.incarnation(), 0U);
    EXPECT_EQ(peer.timeout(), std::chrono::seconds(50));
  });
}

}  // namespace
}  // namespace ulnet::lnd::sock
