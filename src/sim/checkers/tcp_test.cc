// Checkers of what TCP drivers do and write.
#include "lnet/lnd/sock/engine/engine.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/checkers/tcp_talk.h"
#include "sim/foreign/raw_peer.h"

namespace ulnet::sim {
namespace {

using lnd::sock::Conn;
using lnd::sock::ConnView;
using lnd::sock::Count;
using lnd::sock::Peer;
using wire::ConnType;

// ---- TCP connections correct ----

struct SoundChecker : TcpWorld {
  SoundChecker() {
    peer.key = {a.shard_state()->nis.find(tcp(1))->config.id, {tcp(2), Pid::lustre()}};
    peer.ni = &ni;
    peer.address = lnd::sock::address_of(tcp(2));
    peer.known = {true, 3, 5};
    ni.address = *lnd::sock::address_of(tcp(1));
  }
  /// a has opened a connection with b.
  void opens(ConnType type, bool active = false) {
    Conn& conn = *conns.emplace_back(std::make_unique<Conn>());
    conn.self = {static_cast<std::uint32_t>(conns.size()), 1};
    conn.peer = &peer;
    conn.type = type;
    conn.active = active;
    conn.remote = {*peer.address, 988};
    peer.conns.push_back(&conn);
    checker.on_opened(world, a, ConnView(conn), conns.size());
  }
  void counts(Count what) {
    const_cast<lnd::sock::Engine&>(*a.engine()).report(what, lnd::sock::Endpoint{});
  }

  Checker& checker = world.add_checker(tcp_sound_checker(world.add<TcpTalk>()));
  lnd::sock::NiInfo ni;
  Peer peer;
  std::vector<std::unique_ptr<Conn>> conns;
};

TEST_F(SoundChecker, SeesAConnectionClosedForACookie) {
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  counts(Count::kClosedBadCookie);
  checker.check_all(world);
  EXPECT_EQ(said(), "closed_bad_cookie");
}

TEST_F(SoundChecker, GrantsAForeignPeerOneBadEndForEachConnection) {
  RawPeer eve(world, tcp(9));
  eve.greet(a.nid());
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  counts(Count::kClosedBadFrame);
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  counts(Count::kClosedBadHeader);
  checker.check_all(world);
  EXPECT_EQ(said(), "closed_bad_header");
}

TEST_F(SoundChecker, SeesOneConnectionMoreThanIsAllowed) {
  peer.bulk = 2;
  for (int i = 0; i < 2; ++i) opens(ConnType::kBulkIn);
  opens(ConnType::kControl);
  EXPECT_EQ(said(), "");
  opens(ConnType::kBulkIn);
  EXPECT_EQ(said(),
            "3 connections of type BULK_IN with 10.0.0.2@tcp, 0 of them dialled, 2 allowed");
}

TEST_F(SoundChecker, SeesASecondControlConnectionThatWasDialled) {
  peer.bulk = 2;
  opens(ConnType::kControl, true);
  opens(ConnType::kControl);  // dialled by b
  EXPECT_EQ(said(), "");
  peer.conns.pop_back();
  opens(ConnType::kControl, true);
  EXPECT_THAT(said(), HasSubstr("2 of them dialled"));
}

TEST_F(SoundChecker, SeesAnUnexpectedConnectionType) {
  opens(ConnType::kAny);
  EXPECT_EQ(said(), "");
  opens(ConnType::kAny, true);  // typed_conns is set, so no ANY connection is needed
  EXPECT_THAT(said(), HasSubstr("of type ANY"));
}

TEST_F(SoundChecker, CountsBothEndsOfLoopbackConnections) {
  ni.address = *peer.address;
  opens(ConnType::kControl, true);
  opens(ConnType::kControl);
  EXPECT_EQ(said(), "");
}

TEST_F(SoundChecker, SeesConnectionsWithTwoIncarnations) {
  opens(ConnType::kControl);
  peer.known.incarnation = 6;
  opens(ConnType::kBulkIn);
  EXPECT_EQ(said(), "has connections with two incarnations of 10.0.0.2@tcp");
}

TEST_F(SoundChecker, AllowsAnotherIncarnationAfterTheFirst) {
  opens(ConnType::kControl);
  peer.conns.clear();
  peer.known.incarnation = 4;
  opens(ConnType::kControl);
  EXPECT_EQ(said(), "");
}

TEST_F(SoundChecker, LooksAtEveryConnectionNowAndThen) {
  put(100);
  (void)world.run_until_quiet();
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  const_cast<NodeSetup&>(a.setup()).sock.typed_conns = 0;  // now no typed connection is needed
  checker.check_all(world);
  EXPECT_THAT(said(),
              HasSubstr("connections of type CONTROL with 10.0.0.2@tcp, 1 of them dialled"));
}

// ---- TCP messages correct ----

/// Passes real streams to the checker, and reports to it writes and reads that did not happen.
struct TalkChecker : TcpWorld {
  struct Ear final : Checker {
    Ear() : Checker("ear", kAfterStep | kStreams) {}
    void after_step(World& in, const ShardStep& step) override {
      if (&step.node != deaf_to) talk.after_step(in, step);
    }
    void on_written(World& in, const StreamEnd& end, const iovec* from,
                    std::size_t count) override {
      if (deaf_to == nullptr || end.user != deaf_to->number())
        talk.on_written(in, end, from, count);
    }
    void on_read(World& in, const StreamEnd& end, std::size_t count) override {
      talk.on_read(in, end, count);
    }
    void on_over(World& in, const StreamEnd& end, bool let_go) override {
      talk.on_over(in, end, let_go);
    }
    void on_opened(World& in, SimNode& node, const ConnView& conn, std::uint64_t number) override {
      talk.on_opened(in, node, conn, number);
    }
    TcpTalk talk;
    const SimNode* deaf_to = nullptr;
  };

  /// An end of a connection that does not exist, dialled by a.
  StreamEnd end_of(const SimNode& node) const {
    const Address here = wire_address(a.nid()), there = wire_address(b.nid());
    const bool dialled = &node == &a;
    const std::uint32_t user = dialled && strange ? kNoNode : node.number();
    return {connection, dialled, user, dialled ? here : there, dialled ? there : here};
  }
  void says(const SimNode& node, std::vector<std::byte> words) {
    const iovec all{words.data(), words.size()};
    ear.talk.on_written(world, end_of(node), &all, words.size());
  }
  void reads(const SimNode& node, std::size_t count) {
    ear.talk.on_read(world, end_of(node), count);
  }
  void greet() {
    wire::Hello hello;
    hello.src_nid = a.nid();
    says(a, words(wire::AcceptorRequest::to(b.nid())));
    says(a, words(hello));
    hello.src_nid = b.nid();
    says(b, words(hello));
  }
  /// a asks b to acknowledge a message of `length` bytes.
  void asks(std::uint64_t cookie, std::uint32_t length = 100) {
    wire::LnetHeader header;
    header.src_nid = a.nid();
    header.dest_nid = b.nid();
    header.payload_length = length;
    header.part.emplace<wire::PutPart>();
    wire::Frame frame;
    frame.cookie0 = cookie;
    ++world.exercised().messages[static_cast<std::size_t>(wire::MsgType::kPut)];
    says(a, words(header, std::vector<std::byte>(length), 3, frame));
  }
  void acknowledges(std::uint64_t cookie) { says(b, words(wire::NoopAcks::one(cookie).frame())); }
  /// b reads a request of a and acknowledges it on a second connection. Returns a's end of the
  /// first connection.
  StreamEnd acknowledges_on_another() {
    greet();
    asks(2);
    reads(b, kGreeting + kMessage);
    const StreamEnd first = end_of(a);
    ++connection;
    greet();
    acknowledges(2);
    return first;
  }
  static constexpr std::size_t kGreeting = wire::kAcceptorBytesV1 + wire::kHelloBytesV3;
  static constexpr std::size_t kMessage = wire::kFrameBytes + wire::kHeaderBytesNid4 + 100;

  Ear& ear = world.add<Ear>();
  bool strange = false;  ///< the dialler is not a, but a peer that is not a node
  std::uint64_t connection = 77;
};

TEST_F(TalkChecker, SeesNonsense) {
  greet();
  says(a, std::vector<std::byte>(wire::kFrameBytes));
  EXPECT_EQ(said(), "speaks nonsense");
}

TEST_F(TalkChecker, SeesAnAckThatComesTwice) {
  greet();
  asks(2);
  asks(3);
  reads(b, kGreeting + 2 * kMessage);
  acknowledges(2);
  EXPECT_EQ(said(), "");
  acknowledges(2);
  EXPECT_EQ(said(), "cookie 2 is acknowledged and not outstanding");
}

TEST_F(TalkChecker, SeesAnAckForNothing) {
  greet();
  acknowledges(2);
  EXPECT_EQ(said(), "acknowledges a request that is not outstanding");
}

TEST_F(TalkChecker, SeesAnAckBeforeItsMessageWasRead) {
  greet();
  asks(2);
  reads(b, kGreeting + kMessage - 1);
  acknowledges(2);
  EXPECT_EQ(said(), "cookie 2 is acknowledged before its message was read");
}

TEST_F(TalkChecker, SeesACookieThatIsUsedTwice) {
  greet();
  asks(2);
  asks(2);
  EXPECT_EQ(said(), "cookie 2 asks a second time");
}

TEST_F(TalkChecker, SeesARequestThatIsForgotten) {
  greet();
  asks(2);
  reads(b, kGreeting + kMessage - 1);
  ear.talk.check_all(world);
  EXPECT_EQ(said(), "");
  reads(b, 1);
  ear.talk.check_all(world);
  EXPECT_EQ(said(), "cookie 2 was read, but not acknowledged");
}

TEST_F(TalkChecker, SeesThatAlsoWhenTheConnectionEnds) {
  greet();
  asks(2);
  reads(b, kGreeting + kMessage);
  ear.talk.on_over(world, end_of(a), true);
  EXPECT_EQ(said(), "cookie 2 was read, but not acknowledged");
}

TEST_F(TalkChecker, AllowsARequestThatEndsWithItsConnection) {
  greet();
  asks(2);
  reads(b, kGreeting + kMessage - 1);
  ear.talk.on_over(world, end_of(a), true);
  acknowledges(2);  // b acknowledges; a does not read it
  ear.talk.check_all(world);
  EXPECT_EQ(said(), "");
}

/// b does not know that the first connection is closed: a may never have answered its hello there.
TEST_F(TalkChecker, DistinguishesCookiesOfAnIncarnationFromThoseBefore) {
  greet();
  asks(2);
  ear.talk.on_over(world, end_of(a), true);
  a.crash();
  a.start();
  ++connection;
  greet();
  asks(2);
  reads(b, kGreeting + kMessage);
  acknowledges(2);
  EXPECT_EQ(said(), "");
}

/// a has closed the first connection, and its driver meets b anew; b has not read what has arrived.
TEST_F(TalkChecker, DistinguishesCookiesOfAPeerFromThoseOfThePeerBefore) {
  greet();
  asks(2);
  ear.talk.on_over(world, end_of(a), true);
  ++connection;
  greet();
  asks(2);
  reads(b, kGreeting + kMessage);
  acknowledges(2);
  EXPECT_EQ(said(), "");
  ++connection;
  greet();
  asks(2);
  reads(b, kGreeting + kMessage - 1);
  acknowledges(2);
  EXPECT_EQ(said(), "cookie 2 is acknowledged before its message was read");
}

/// The request's connection is closed while its ACK is on its way on another one.
TEST_F(TalkChecker, ExcusesAnAckThatComesWhenItsRequestIsDropped) {
  const StreamEnd first = acknowledges_on_another();
  reads(a, wire::kHelloBytesV3);
  ear.talk.on_over(world, first, true);
  EXPECT_EQ(ear.talk.late_acks(a), 0U);
  reads(a, wire::kFrameBytes);
  EXPECT_EQ(ear.talk.late_acks(a), 1U);
  EXPECT_EQ(ear.talk.late_acks(b), 0U);

  const auto sound = tcp_sound_checker(ear.talk);
  auto& engine = const_cast<lnd::sock::Engine&>(*a.engine());
  engine.report(Count::kClosedBadCookie, lnd::sock::Endpoint{});
  sound->check_all(world);
  EXPECT_EQ(said(), "");
  engine.report(Count::kClosedBadCookie, lnd::sock::Endpoint{});
  sound->check_all(world);
  EXPECT_EQ(said(), "closed_bad_cookie");
}

TEST_F(TalkChecker, DoesNotCallAnAckLateThatComesBeforeItsRequestIsDropped) {
  const StreamEnd first = acknowledges_on_another();
  reads(a, wire::kHelloBytesV3 + wire::kFrameBytes);
  ear.talk.on_over(world, first, true);
  reads(a, 1);
  EXPECT_EQ(ear.talk.late_acks(a), 0U);
}

TEST_F(TalkChecker, IgnoresMessagesToForeignPeers) {
  strange = true;
  greet();
  says(a, std::vector<std::byte>(wire::kFrameBytes));
  acknowledges(2);  // the connection is closed for a, and not yet for b
  EXPECT_EQ(said(), "");
}

TEST_F(TalkChecker, AllowsAForeignPeersRequestToWait) {  // until the peer has got a hello
  strange = true;
  greet();
  asks(2);
  reads(b, kGreeting + kMessage);
  ear.talk.check_all(world);
  EXPECT_EQ(said(), "");
}

TEST_F(TalkChecker, SeesAMessageThatWasNeverSent) {
  put(100);
  (void)world.run_until_quiet();
  ear.deaf_to = &a;
  put(100);
  (void)world.run_until_quiet();
  EXPECT_EQ(said(), "a message arrived that nobody wrote");
}

TEST_F(TalkChecker, SeesAMessageThatIsCalledSent) {
  put(100);
  (void)world.run_until_quiet();
  const core::ShardState& state = *a.shard_state();
  core::Send send;
  send.ni = state.nis.find(a.nid())->config.id;
  send.tx = {40, 1};
  ear.talk.after_step(world, {a, 0, world.now(), core::Tick{}, {send}, state});
  EXPECT_EQ(said(), "");
  ear.talk.after_step(world, {a, 0, world.now(), core::SendDone{send.tx}, {}, state});
  EXPECT_EQ(said(), "a message is reported as sent that was never written");
}

TEST_F(TalkChecker, SeesMoreMessagesThanWereSent) {
  greet();
  asks(0);
  ear.talk.check_all(world);
  EXPECT_EQ(said(), "");
  says(a, words(wire::LnetHeader{}));
  ear.talk.check_all(world);
  EXPECT_EQ(said(), "2 messages were written, drivers were given 1");
}

TEST_F(TalkChecker, SeesAMessageThatDoesNotArrive) {
  greet();
  asks(0);
  ear.talk.at_end(world);
  EXPECT_EQ(said(), "a message written to it on a correct connection did not arrive");
}

// ---- TCP progress ----

struct ProgressChecker : TcpWorld {
  void opened(std::uint64_t number) {
    Conn& conn = *conns.emplace_back(std::make_unique<Conn>());
    peer.ni = &ni;
    conn.peer = &peer;
    conn.active = true;
    checker.on_opened(world, a, ConnView(conn), number);
  }
  static StreamEnd end(std::uint64_t number) { return {number, true, 0, {}, {}}; }
  void writes(std::uint64_t number) { checker.on_written(world, end(number), nullptr, 10); }

  Checker& checker = world.add_checker(tcp_progress_checker());
  lnd::sock::NiInfo ni{.timeout = seconds(4)};
  Peer peer;
  std::vector<std::unique_ptr<Conn>> conns;
};

TEST_F(ProgressChecker, SeesAConnectionThatIsWrittenToAndNotAcknowledged) {
  opened(77);
  for (int second = 0; second < 6; ++second) {
    EXPECT_EQ(said(), "") << second;
    writes(77);
    ASSERT_TRUE(world.run_for(seconds(1)).reached());
  }
  writes(77);
  EXPECT_THAT(said(), HasSubstr("stays open without an acknowledgement"));
}

/// The driver of a paused node sees the bytes that arrived only when the node resumes; the time
/// counts from then on.
TEST_F(ProgressChecker, GivesAPausedNodeItsTimeAgain) {
  opened(77);
  writes(77);
  ASSERT_TRUE(world.run_for(seconds(4)).reached());
  checker.on_node(world, a, NodeChange::kResumed);
  ASSERT_TRUE(world.run_for(seconds(5)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(world.run_for(seconds(1)).reached());
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("stays open without an acknowledgement"));
}

TEST_F(ProgressChecker, IsSilentWhileSomeIsAcknowledged) {
  opened(77);
  writes(77);
  for (int second = 0; second < 20; ++second) {
    writes(77);
    if (second % 4 == 0) checker.on_acknowledged(world, end(77), 10);
    ASSERT_TRUE(world.run_for(seconds(1)).reached());
  }
  checker.on_over(world, end(77), true);
  ASSERT_TRUE(world.run_for(seconds(20)).reached());
  checker.check_all(world);
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
