// The limits that all engines share, of connections that peers open and of memory for held payload;
// and peers whose NID has another address than their connection.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;
using Verdict = EngineBench::Verdict;

struct SharingBench : EngineBench {
  Share take_connections(const Address& address, std::uint16_t count) override {
    return connections.take(address, count, connection_limits);
  }
  void give_connections(const Address& address, std::uint16_t count) override {
    connections.give(address, count);
  }
  Share take_memory(const Address& address, std::size_t bytes) override {
    return memory.take(address, bytes, memory_limits);
  }
  void give_memory(const Address& address, std::size_t bytes) override {
    memory.give(address, bytes);
  }

  AddressShares connections, memory;
  AddressShares::Limits connection_limits, memory_limits;
};

class EngineLimits : public testing::Test {
 protected:
  /// The hello of the host with this address, or of a host that claims to be it.
  wire::Hello hello_of(const std::string& address, ConnType type = ConnType::kControl) const {
    wire::Hello hello = bench.hello(type);
    hello.src_nid = *Nid::parse(address + "@tcp");
    return hello;
  }
  /// A connection that the host with this address has opened.
  Handle visit(const std::string& address, ConnType type = ConnType::kControl) {
    return bench.accepted(hello_of(address, type), address.c_str());
  }
  Handle visit_and_put(const std::string& address) {
    const Handle conn = visit(address);
    bench.feed(conn, put_of(address, 4));
    return conn;
  }
  Bytes put_of(const std::string& address, std::uint32_t payload) const {
    wire::LnetHeader header = bench.header(payload);
    header.src_nid = *Nid::parse(address + "@tcp");
    return put_bytes(header, Bytes(payload, std::byte{7}));
  }

  SharingBench bench;
};

// ---- connections

TEST_F(EngineLimits, AHostThatHasAllOfOneAddressIsRefusedMore) {
  bench.connection_limits.one = 6;
  for (const char* claimed : {"10.0.9.1", "10.0.9.2", "10.0.9.3"})
    bench.accepted(hello_of(claimed), "10.0.0.1");
  EXPECT_EQ(bench.count(Count::kOpened), 2U) << "a peer may open three connections";
  EXPECT_EQ(bench.count(Count::kRefusedAddressFull), 1U);
  EXPECT_FALSE(bench.closed(visit("10.0.0.2")));
}

// A peer whose second connection is refused would close the first.
TEST_F(EngineLimits, APeersFirstConnectionReservesAll) {
  bench.connection_limits.all = 3;
  bench.feed(bench.trio().control, put_of("10.0.0.1", 4));
  EXPECT_EQ(bench.count(Count::kOpened), 3U);
  EXPECT_EQ(bench.connections.all(), 3U);
  EXPECT_TRUE(bench.closed(visit("10.0.0.2")));
}

TEST_F(EngineLimits, AnUntypedConnectionReservesOne) {
  bench.connection_limits.all = 2;
  for (const char* peer : {"10.0.0.1", "10.0.0.2"})
    bench.feed(visit(peer, ConnType::kAny), put_of(peer, 4));
  EXPECT_EQ(bench.count(Count::kOpened), 2U);
  EXPECT_TRUE(bench.closed(visit("10.0.0.3", ConnType::kAny)));
}

// spec/wire-socklnd.md 5.1: each type may have as many as a bulk direction, CONTROL too
TEST_F(EngineLimits, AnExtraConnectionReservesOne) {
  bench.ni.conns_per_peer = 2;
  bench.engine.change_ni(bench.ni);
  bench.connection_limits.all = 6;
  const auto open_all = [&](ConnType type) {
    for (int i = 0; i < 2; ++i) visit("10.0.0.1", type);
  };
  open_all(ConnType::kControl);
  EXPECT_EQ(bench.connections.all(), 5U) << "one CONTROL, two of each bulk direction";
  open_all(ConnType::kBulkIn);
  open_all(ConnType::kBulkOut);
  EXPECT_EQ(bench.connections.all(), 6U);
  EXPECT_EQ(bench.count(Count::kOpened), 6U);
  open_all(ConnType::kAny);
  EXPECT_EQ(bench.count(Count::kOpened), 6U);
  EXPECT_EQ(bench.count(Count::kRefusedFull), 2U);
}

TEST_F(EngineLimits, AnUntypedPeerReservesEachConnection) {
  bench.connection_limits.all = 3;
  for (const auto type : {ConnType::kAny, ConnType::kControl, ConnType::kBulkIn}) {
    visit("10.0.0.1", type);
    EXPECT_EQ(bench.connections.all(), bench.count(Count::kOpened));
  }
  EXPECT_TRUE(bench.closed(visit("10.0.0.1", ConnType::kBulkOut)));
}

TEST_F(EngineLimits, TheReservationLastsUntilTheLastConnectionEnds) {
  const auto trio = bench.trio();
  EXPECT_EQ(bench.connections.all(), 3U);
  bench.engine.ended(trio.control, 0);
  bench.engine.work();
  EXPECT_EQ(bench.connections.all(), 0U) << "all of one address end together";
}

TEST_F(EngineLimits, ThePeerIdleLongestIsEvicted) {
  bench.connection_limits.all = 9;
  const Handle first = visit_and_put("10.0.0.1");
  bench.advance(1s);
  const Handle second = visit_and_put("10.0.0.2");
  const Handle third = visit_and_put("10.0.0.3");
  bench.advance(10s);
  bench.feed(first, put_of("10.0.0.1", 4));
  bench.advance(10s);
  EXPECT_FALSE(bench.closed(visit("10.0.0.4")));
  EXPECT_TRUE(bench.closed(second)) << "the first has been used since";
  EXPECT_FALSE(bench.closed(first) || bench.closed(third));
  EXPECT_EQ(bench.count(Count::kEvicted), 1U);
  EXPECT_TRUE(bench.downs.empty()) << "it is not lost";
}

// Otherwise a host could shut out all others with nothing but many hellos.
TEST_F(EngineLimits, TheOldestSilentPeerIsEvictedFirst) {
  bench.connection_limits.all = 9;
  const Handle used = visit_and_put("10.0.0.1");
  bench.advance(1h);
  const Handle silent = visit("10.0.9.1");
  bench.advance(200ms);
  const Handle second = visit("10.0.9.2");
  EXPECT_TRUE(bench.closed(visit("10.0.9.3"))) << "the first may be about to send something";
  EXPECT_FALSE(bench.closed(used)) << "although it has been idle for longest";
  bench.advance(50ms);
  const Handle third = visit("10.0.9.3");
  EXPECT_TRUE(bench.closed(silent));
  EXPECT_FALSE(bench.closed(used) || bench.closed(second));
  bench.feed(second, put_of("10.0.9.2", 4));
  bench.advance(1s);
  EXPECT_FALSE(bench.closed(visit("10.0.9.4")));
  EXPECT_TRUE(bench.closed(third));
  EXPECT_FALSE(bench.closed(second)) << "it has sent a message meanwhile";
  EXPECT_EQ(bench.count(Count::kEvicted), 2U);
}

TEST_F(EngineLimits, AHostAtItsLimitEvictsNoPeer) {
  bench.connection_limits = {.one = 3, .all = 6};
  const Handle first = visit("10.0.0.1");
  const Handle second = visit("10.0.0.2");
  EXPECT_TRUE(bench.closed(bench.accepted(hello_of("10.0.9.1"), "10.0.0.2")));
  EXPECT_FALSE(bench.closed(first) || bench.closed(second));
  EXPECT_EQ(bench.count(Count::kRefusedAddressFull), 1U);
}

TEST_F(EngineLimits, AllConnectionsOfThatPeerGo) {
  bench.connection_limits.all = 3;
  const auto trio = bench.trio();
  bench.advance(10s);
  EXPECT_FALSE(bench.closed(visit("10.0.0.4")));
  EXPECT_TRUE(bench.closed(trio.control) && bench.closed(trio.bulk_in) &&
              bench.closed(trio.bulk_out));
  EXPECT_EQ(bench.connections.all(), 3U);
}

TEST_F(EngineLimits, ABusyPeerIsNotEvicted) {
  bench.connection_limits.all = 3;
  const Handle first = visit_and_put("10.0.0.1");
  bench.advance(1s);
  EXPECT_TRUE(bench.closed(visit("10.0.0.2"))) << "the first was used a second ago";
  EXPECT_EQ(bench.count(Count::kRefusedFull), 1U);
  bench.advance(10s);
  const Bytes put = put_of("10.0.0.1", 4);
  bench.feed(first, Bytes(put.begin(), put.end() - 2));
  bench.advance(10s);
  EXPECT_TRUE(bench.closed(visit("10.0.0.2"))) << "the first is in the middle of a message";
  bench.feed(first, Bytes(put.end() - 2, put.end()));
  bench.advance(10s);
  EXPECT_FALSE(bench.closed(visit("10.0.0.2")));
  EXPECT_TRUE(bench.closed(first));
}

TEST_F(EngineLimits, APeerThatThisNodeHasDialledStaysAndTakesNoPartOfTheLimit) {
  bench.connection_limits.all = 3;
  bench.connect(kA);
  const Handle dialled = bench.opened(kA.nid, ConnType::kControl);
  EXPECT_EQ(bench.connections.all(), 0U);
  bench.advance(10s);
  EXPECT_FALSE(bench.closed(visit_and_put("10.0.0.1")));
  EXPECT_TRUE(bench.closed(visit("10.0.0.2")));
  EXPECT_FALSE(bench.closed(dialled));
}

TEST_F(EngineLimits, AConnectionThatEndsGivesItsPlaceBack) {
  bench.connection_limits.all = 3;
  bench.engine.ended(visit("10.0.0.1"), 0);
  bench.engine.work();
  EXPECT_EQ(bench.connections.all(), 0U);
  EXPECT_FALSE(bench.closed(visit("10.0.0.2")));
  bench.engine.remove_ni(bench.ni.id);
  EXPECT_EQ(bench.connections.all(), 0U);
  bench.engine.add_ni(bench.ni);
}

// ---- memory

TEST_F(EngineLimits, WithoutMemoryReadingPauses) {
  bench.memory_limits.all = 6000;
  bench.verdict = Verdict::kHold;
  const Handle first = visit("10.0.0.1"), second = visit("10.0.0.2");
  bench.feed(first, put_of("10.0.0.1", 4000));
  EXPECT_FALSE(bench.pauses[first.slot]);
  bench.feed(second, put_of("10.0.0.2", 4000));
  EXPECT_TRUE(bench.pauses[second.slot]);
  EXPECT_EQ(bench.count(Count::kHoldShort), 1U);
  EXPECT_EQ(bench.memory.all(), 4000U);
  bench.advance(500s);
  EXPECT_FALSE(bench.closed(second)) << "its time-out clock is stopped";

  auto& held = bench.messages.at(0);
  bench.engine.command(core::DropPayload{bench.ni.id, held.rx, 4000});
  bench.engine.work();
  bench.engine.work();
  EXPECT_FALSE(bench.pauses[second.slot]);
  EXPECT_EQ(bench.memory.all(), 4000U);
  EXPECT_EQ(bench.memory.of(*parse_address("10.0.0.1")), 0U);
}

// The engine tries again to stage held payload, because another engine may have given memory back.
TEST_F(EngineLimits, WithoutMemoryStagingIsTriedAgain) {
  bench.memory_limits.all = 1000;
  bench.verdict = Verdict::kHold;
  const Handle conn = visit("10.0.0.1");
  bench.feed(conn, put_of("10.0.0.1", 4000));
  EXPECT_TRUE(bench.pauses[conn.slot]);
  bench.memory_limits.all = 4000;
  bench.advance(50ms);
  EXPECT_TRUE(bench.pauses[conn.slot]);
  bench.advance(50ms);
  bench.engine.work();
  EXPECT_FALSE(bench.pauses[conn.slot]);
}

TEST_F(EngineLimits, OneAddressCannotTakeTheMemoryOfOthers) {
  bench.memory_limits.one = 5000;
  bench.verdict = Verdict::kHold;
  const Handle one = bench.accepted(hello_of("10.0.9.1"), "10.0.0.1");
  const Handle two = bench.accepted(hello_of("10.0.9.2"), "10.0.0.1");
  bench.feed(one, put_of("10.0.9.1", 4000));
  bench.feed(two, put_of("10.0.9.2", 4000));
  EXPECT_TRUE(bench.pauses[two.slot]);
  const Handle other = visit("10.0.0.2");
  bench.feed(other, put_of("10.0.0.2", 4000));
  EXPECT_FALSE(bench.pauses[other.slot]);
}

TEST_F(EngineLimits, AConnectionThatEndsGivesItsMemoryBack) {
  bench.memory_limits.all = 5000;
  bench.verdict = Verdict::kHold;
  const Handle first = visit("10.0.0.1"), second = visit("10.0.0.2");
  bench.feed(first, put_of("10.0.0.1", 4000));
  bench.feed(second, put_of("10.0.0.2", 4000));
  bench.engine.ended(first, 0);
  bench.engine.work();
  bench.engine.work();
  EXPECT_FALSE(bench.pauses[second.slot]);
  bench.engine.ended(second, 0);
  bench.engine.work();
  EXPECT_EQ(bench.memory.all(), 0U);
}

// Bytes that were read from a connection before it was paused take memory too.
TEST_F(EngineLimits, WithoutMemoryLittleIsReadAhead) {
  bench.memory_limits.all = 1000;
  const Handle other = visit("10.0.0.2");
  std::size_t direct = 0, ahead = 65536;
  iovec vector{};
  bench.engine.read_plan(other, &vector, 1, direct, ahead);
  EXPECT_EQ(ahead, 65536U);
  bench.verdict = Verdict::kHold;
  bench.feed(visit("10.0.0.1"), put_of("10.0.0.1", 4000));
  bench.engine.read_plan(other, &vector, 1, direct, ahead);
  EXPECT_EQ(ahead, 4096U);
}

// ---- addresses

TEST_F(EngineLimits, ANidWithAnotherAddressIsAcceptedAndReportedOnceUnlessTheCheckIsEnforced) {
  bench.accepted(hello_of("10.0.9.1"), "10.0.0.1");
  bench.accepted(hello_of("10.0.9.1", ConnType::kBulkIn), "10.0.0.1");
  EXPECT_EQ(bench.count(Count::kOpened), 2U);
  EXPECT_EQ(bench.count(Count::kAddressDiffers), 1U);
  bench.tunables.peer_address_check = AddressCheck::kOff;
  bench.accepted(hello_of("10.0.9.2"), "10.0.0.1");
  EXPECT_EQ(bench.count(Count::kOpened), 3U);
  EXPECT_EQ(bench.count(Count::kAddressDiffers), 1U);
  bench.tunables.peer_address_check = AddressCheck::kEnforce;
  EXPECT_TRUE(bench.closed(bench.accepted(hello_of("10.0.9.3"), "10.0.0.1")));
  EXPECT_EQ(bench.count(Count::kRefusedAddress), 1U);
  EXPECT_FALSE(bench.closed(visit("10.0.0.1")));
}

// A stranger that sends another incarnation must not end the connections of the peer itself.
TEST_F(EngineLimits, AnEnforcedCheckKeepsTheConnectionsOfThePeerItself) {
  bench.tunables.peer_address_check = AddressCheck::kEnforce;
  const auto trio = bench.trio();
  wire::Hello lie = bench.hello(ConnType::kControl);
  ++lie.src_incarnation;
  EXPECT_TRUE(bench.closed(bench.accepted(lie, "10.0.0.1")));
  EXPECT_FALSE(bench.closed(trio.control));
  EXPECT_EQ(bench.count(Count::kIdentityConflicts), 0U);
}

// Under accept=all an unprivileged peer has the identity of its socket.
TEST_F(EngineLimits, APeerWithoutANidOfItsOwnIsNotChecked) {
  bench.tunables.accept = Accept::kAll;
  bench.tunables.peer_address_check = AddressCheck::kEnforce;
  EXPECT_FALSE(bench.closed(bench.accepted(hello_of("10.0.9.1"), "10.0.0.1", 5000)));
}

TEST_F(EngineLimits, ATakeOverIsAnIdentityConflict) {
  bench.trio();
  wire::Hello other = bench.hello(ConnType::kControl);
  ++other.src_incarnation;
  bench.accepted(other, "10.0.0.1");
  EXPECT_EQ(bench.count(Count::kIdentityConflicts), 1U);
  EXPECT_EQ(bench.count(Count::kTakenOver), 1U);
}

}  // namespace
}  // namespace ulnet::lnd::sock
