#include "sim/network/streams.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace ulnet::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Address address(std::uint8_t host) {
  Address made;
  made.bytes = {10, 0, 0, host};
  return made;
}

/// A program with sockets. It records the calls of Streams.
struct Program final : SocketUser {
  explicit Program(std::uint32_t who) : who_(who) {}
  std::uint32_t number() const override { return who_; }
  void on_dialled(Handle socket, int result) override {
    ended = true;
    error = result;
    if (result == 0) open = socket;
  }
  void on_accepted(Handle socket, const Endpoint&, const Endpoint& from) override {
    open = socket;
    remote = from;
  }
  void on_readable(Handle) override { ++readable; }
  void on_writable(Handle) override { ++writable; }

  Handle open;
  Endpoint remote;
  bool ended = false;
  int error = -1;
  int readable = 0, writable = 0;

 private:
  const std::uint32_t who_;
};

/// a (10.0.0.1) dials b (10.0.0.2), port 988.
struct StreamsTest : testing::Test {
  explicit StreamsTest(StreamModel model = whole())
      : streams(queue, wire, trace, Rng(2), model),
        at_a(wire.place(address(1))),
        at_b(wire.place(address(2))) {}
  ~StreamsTest() override {
    streams.abandon(a, true);
    streams.abandon(b, true);
  }

  static StreamModel whole() {
    StreamModel model;
    model.split_ppm = model.short_ppm = 0;
    model.window = 1000;
    model.piece = 100;
    return model;
  }
  static Endpoint listener() { return {address(2), 988}; }
  void run(Duration time) {
    const Instant until = queue.now() + time;
    while (queue.next() <= until) queue.run_one();
    queue.advance(until);
  }
  Handle dial() { return streams.dial({address(1), 1023}, listener(), a); }
  void connect() {
    ASSERT_EQ(streams.listen(listener(), b), 0);
    dial();
    run(milliseconds(1));
    ASSERT_TRUE(a.open && b.open);
  }
  Transfer write(Handle socket, const std::string& text) {
    std::string copy = text;
    const iovec piece{copy.data(), copy.size()};
    return streams.write(socket, &piece, 1);
  }
  /// The bytes of one read, or "errno N", or "end".
  std::string read(Handle socket, std::size_t most = 4096) {
    std::string text(most, 0);
    const iovec piece{text.data(), text.size()};
    const Transfer got = streams.read(socket, &piece, 1);
    if (got.bytes == 0) return got.error == 0 ? "end" : "errno " + std::to_string(got.error);
    text.resize(got.bytes);
    return text;
  }
  static std::string errno_words(int error) { return "errno " + std::to_string(error); }

  EventQueue queue;
  Trace trace;
  Wire wire{queue, Rng(1)};
  Streams streams;
  Place at_a, at_b;
  Program a{1}, b{2};
};

TEST_F(StreamsTest, KnowsSinceWhenBytesAreUnderWay) {
  connect();
  EXPECT_EQ(streams.in_flight_since(), kNever);
  LinkModel slow;
  slow.delay = milliseconds(10);
  wire.set_model(at_a, at_b, slow);
  const Instant first = queue.now();
  write(a.open, "one");
  run(milliseconds(5));
  write(a.open, "two");
  EXPECT_EQ(streams.in_flight_since(), first);
  run(milliseconds(6));
  EXPECT_EQ(streams.in_flight_since(), first + milliseconds(5));
  run(milliseconds(5));
  EXPECT_EQ(streams.in_flight_since(), kNever);
}

TEST_F(StreamsTest, ADialIsAcceptedAndBytesComeInOrder) {
  connect();
  EXPECT_EQ(a.error, 0);
  EXPECT_EQ(b.remote, (Endpoint{address(1), 1023}));
  EXPECT_EQ(write(a.open, "one ").bytes, 4U);
  EXPECT_EQ(write(a.open, "two").bytes, 3U);
  EXPECT_EQ(streams.unacknowledged(a.open), 7U);
  EXPECT_EQ(read(b.open), errno_words(EAGAIN));
  run(milliseconds(1));
  EXPECT_EQ(b.readable, 1);
  EXPECT_EQ(streams.unacknowledged(a.open), 0U);
  EXPECT_EQ(read(b.open), "one two");
  EXPECT_EQ(streams.in_flight(), 0U);
}

TEST_F(StreamsTest, ADialWithoutAListenerIsRefused) {
  ASSERT_EQ(streams.listen({address(2), 1}, b), 0);  // a machine at 10.0.0.2 that listens elsewhere
  dial();
  run(milliseconds(1));
  EXPECT_EQ(a.error, ECONNREFUSED);
}

TEST_F(StreamsTest, ADialToAnAbsentMachineFails) {
  dial();
  run(seconds(2));
  EXPECT_FALSE(a.ended);
  run(seconds(2));
  EXPECT_EQ(a.error, EHOSTUNREACH);
}

TEST_F(StreamsTest, TheOwnInterfaceIsDown) {
  wire.set_up(at_a, false);
  dial();
  run({});
  EXPECT_EQ(a.error, ENETDOWN);
}

TEST_F(StreamsTest, ADialWithoutARouteFails) {
  ASSERT_EQ(streams.listen(listener(), b), 0);
  wire.set_route(at_a, at_b, false);
  dial();
  run({});
  EXPECT_EQ(a.error, ENETUNREACH);
}

TEST_F(StreamsTest, WithoutARouteAStreamStallsUntilThereIsOne) {
  connect();
  wire.set_route(at_a, at_b, false);
  write(a.open, "there");
  run(seconds(1));
  EXPECT_EQ(read(b.open), errno_words(EAGAIN));
  wire.set_route(at_a, at_b, true);
  run(seconds(1));
  EXPECT_EQ(read(b.open), "there");
}

TEST_F(StreamsTest, ADialOnACutLinkIsTriedAgainAndThenGivenUp) {
  ASSERT_EQ(streams.listen(listener(), b), 0);
  wire.cut(at_b, at_a, true);  // loses the answers to the SYNs
  dial();
  run(seconds(126));
  EXPECT_FALSE(a.ended);
  run(seconds(2));
  EXPECT_EQ(a.error, ETIMEDOUT);
  dial();
  run(milliseconds(500));
  wire.heal();
  run(seconds(1));
  EXPECT_EQ(a.error, 0);
}

TEST_F(StreamsTest, TwoListenersOfOnePort) {
  EXPECT_EQ(streams.listen(listener(), b), 0);
  EXPECT_EQ(streams.listen(listener(), a), -EADDRINUSE);
  streams.unlisten(listener());
  EXPECT_EQ(streams.listen(listener(), a), 0);
}

TEST_F(StreamsTest, AWriterWaitsForAReader) {
  connect();
  EXPECT_EQ(write(a.open, std::string(1500, 'x')).bytes, 1000U);
  EXPECT_EQ(write(a.open, "y").error, EAGAIN);
  run(milliseconds(1));
  EXPECT_EQ(a.writable, 0);
  EXPECT_EQ(read(b.open, 300).size(), 300U);
  run({});
  EXPECT_EQ(a.writable, 0);  // less than a third of the window is free
  EXPECT_EQ(read(b.open, 33).size(), 33U);
  run({});
  EXPECT_EQ(a.writable, 1);
  EXPECT_EQ(write(a.open, std::string(500, 'y')).bytes, 333U);
}

TEST_F(StreamsTest, ASlowLinkQueues) {
  LinkModel slow;
  slow.delay = milliseconds(1);
  slow.bytes_per_second = 16'000;  // a piece of 100 bytes and its headers take 10 ms
  ASSERT_EQ(streams.listen(listener(), b), 0);
  dial();
  run(milliseconds(1));
  wire.set_model(at_a, at_b, slow);
  write(a.open, std::string(300, 'x'));
  run(milliseconds(12));
  EXPECT_EQ(read(b.open).size(), 100U);
  run(milliseconds(20));
  EXPECT_EQ(read(b.open).size(), 200U);
}

TEST_F(StreamsTest, CutAndCloggedLinksLoseNothing) {
  connect();
  for (const bool clog : {true, false}) {
    write(a.open, "before ");
    clog ? wire.clog(at_a, at_b, true) : wire.cut(at_a, at_b, true);
    write(a.open, "meanwhile ");
    run(minutes(1));
    EXPECT_EQ(read(b.open), errno_words(EAGAIN));
    EXPECT_EQ(streams.unacknowledged(a.open), 17U);
    wire.heal();
    write(a.open, "after");
    run(seconds(1));
    EXPECT_EQ(read(b.open), "before meanwhile after");
  }
}

TEST_F(StreamsTest, AStallHoldsOneDirection) {
  connect();
  streams.stall(a.open, true);
  write(a.open, "there");
  write(b.open, "back");
  run(seconds(1));
  EXPECT_EQ(read(b.open), errno_words(EAGAIN));
  EXPECT_EQ(read(a.open), "back");
  streams.stall(a.open, false);
  run(seconds(1));
  EXPECT_EQ(read(b.open), "there");
}

TEST_F(StreamsTest, EachOfTwoStallsLastsUntilItsOwnEnd) {
  connect();
  for (int i = 0; i < 2; ++i) streams.stall(a.open, true);
  write(a.open, "there");
  streams.stall(a.open, false);
  run(seconds(1));
  EXPECT_EQ(read(b.open), errno_words(EAGAIN));
  streams.stall(a.open, false);
  run(seconds(1));
  EXPECT_EQ(read(b.open), "there");
  streams.stall(a.open, false);
  streams.stall(a.open, true);
  write(a.open, "again");
  run(seconds(1));
  EXPECT_EQ(read(b.open), errno_words(EAGAIN)) << "an end too many ended nothing";
}

TEST_F(StreamsTest, CutsAndClogsLastUntilTheirOwnEnds) {
  connect();
  wire.clog(at_a, at_b, true);
  for (int i = 0; i < 2; ++i) wire.cut(at_a, at_b, true);
  const Link& link = wire.link(at_a, at_b);
  wire.cut(at_a, at_b, false);
  EXPECT_TRUE(link.broken());
  wire.cut(at_a, at_b, false);
  EXPECT_FALSE(link.broken());
  EXPECT_FALSE(link.open());
  wire.clog(at_a, at_b, false);
  EXPECT_TRUE(link.open());
}

TEST_F(StreamsTest, AStalledStreamThatIsClosedGoesOn) {
  connect();
  streams.stall(a.open, true);
  write(a.open, "last");
  streams.close(a.open);
  run(seconds(1));
  EXPECT_EQ(read(b.open), "last");
  EXPECT_EQ(read(b.open), "end");
}

TEST_F(StreamsTest, AnEndComesAfterTheBytes) {
  connect();
  write(a.open, "bye");
  streams.close(a.open);
  run(milliseconds(1));
  EXPECT_EQ(read(b.open), "bye");
  run({});
  EXPECT_EQ(b.readable, 2) << "notified of the end as well";
  EXPECT_EQ(read(b.open), "end");
  EXPECT_EQ(write(b.open, "too late").bytes, 8U);
  run(milliseconds(1));
  EXPECT_EQ(streams.error(b.open), ECONNRESET);
  EXPECT_EQ(write(b.open, "x").error, ECONNRESET);
}

TEST_F(StreamsTest, ACloseWithBytesUnreadIsAReset) {
  connect();
  write(a.open, "unread");
  run(milliseconds(1));
  streams.close(b.open);
  run(milliseconds(1));
  EXPECT_EQ(read(a.open), errno_words(ECONNRESET));
}

TEST_F(StreamsTest, AResetEndsBothAfterTheArrivedBytes) {
  connect();
  write(a.open, "arrived");
  run(milliseconds(1));
  write(a.open, "lost");
  streams.reset(a.open);
  run({});
  EXPECT_EQ(read(b.open), "arrived");
  EXPECT_EQ(read(b.open), errno_words(ECONNRESET));
  EXPECT_EQ(read(a.open), errno_words(ECONNRESET));
  EXPECT_EQ(streams.in_flight(), 0U);
}

TEST_F(StreamsTest, AHalfOpenConnectionIsFoundOutByWriting) {
  connect();
  streams.half_open(b.open);
  run(minutes(10));
  EXPECT_EQ(read(b.open), errno_words(ECONNRESET));
  EXPECT_EQ(read(a.open), errno_words(EAGAIN));
  write(a.open, "hello?");
  run(milliseconds(1));
  EXPECT_EQ(read(a.open), errno_words(ECONNRESET));
}

constexpr KeepAlive kAsks{.idle = seconds(30), .interval = seconds(5), .count = 5};

TEST_F(StreamsTest, AHalfOpenConnectionIsFoundOutByTheKeepaliveOfTheOtherEnd) {
  connect();
  streams.keep_alive(a.open, kAsks);
  run(seconds(20));
  write(b.open, "still here");
  run(seconds(1));
  EXPECT_EQ(read(a.open), "still here");
  streams.half_open(b.open);
  run(seconds(28));  // 29 s after the last bytes
  EXPECT_EQ(read(a.open), errno_words(EAGAIN));
  run(seconds(2));
  EXPECT_EQ(read(a.open), errno_words(ECONNRESET));
}

TEST_F(StreamsTest, AMachineThatIsGoneIsFoundOutByTheKeepalive) {
  connect();
  streams.keep_alive(a.open, kAsks);
  streams.abandon(b, true);
  run(seconds(30 + 4 * 5 - 1));
  EXPECT_EQ(read(a.open), errno_words(EAGAIN));
  run(seconds(2));
  EXPECT_EQ(read(a.open), errno_words(ETIMEDOUT));
}

TEST_F(StreamsTest, TheKeepaliveOfAConnectionThatBothEndsHoldChangesNothing) {
  connect();
  streams.keep_alive(a.open, kAsks);
  streams.keep_alive(b.open, kAsks);
  run(minutes(10));
  EXPECT_EQ(read(a.open), errno_words(EAGAIN));
  EXPECT_EQ(read(b.open), errno_words(EAGAIN));
  EXPECT_EQ(streams.in_flight(), 0U);
}

TEST_F(StreamsTest, AProcessThatDiesIsNoticedAMachineIsNot) {
  connect();
  streams.abandon(b, false);
  run(milliseconds(1));
  EXPECT_EQ(read(a.open), "end");
  streams.close(a.open);
  connect();
  streams.abandon(b, true);
  write(a.open, "anybody?");
  run(minutes(1));
  EXPECT_EQ(read(a.open), errno_words(EAGAIN));
  // The machine is up again and does not know the connection.
  ASSERT_EQ(streams.listen(listener(), b), 0);
  run(minutes(2));
  EXPECT_EQ(read(a.open), errno_words(ECONNRESET));
}

TEST_F(StreamsTest, UnreadBytesAreCounted) {
  connect();
  write(a.open, "read");
  run(milliseconds(1));
  EXPECT_EQ(read(b.open), "read");
  EXPECT_EQ(streams.lost_bytes(), 0U);
  write(a.open, "not read");
  run(milliseconds(1));
  streams.close(b.open);
  EXPECT_EQ(streams.lost_bytes(), 8U) << "they had arrived";
  streams.close(a.open);
  dial();
  run(milliseconds(1));
  write(a.open, "under way");
  streams.close(b.open);
  streams.close(a.open);
  run(milliseconds(1));
  EXPECT_EQ(streams.lost_bytes(), 8U + 9U) << "they come when nobody is there";
}

TEST_F(StreamsTest, SilenceForLongEndsAStream) {
  connect();
  streams.abandon(b, true);
  write(a.open, "anybody?");
  run(minutes(30));
  EXPECT_EQ(read(a.open), errno_words(ETIMEDOUT));
}

TEST_F(StreamsTest, OpenConnectionsAreFoundInTheirOrder) {
  connect();
  const Handle first = a.open;
  dial();
  run(milliseconds(1));
  std::vector<Handle> found;
  streams.between(at_a, at_b, found);
  EXPECT_EQ(found, (std::vector{first, a.open}));
}

struct RaggedStreams : StreamsTest {
  RaggedStreams() : StreamsTest(ragged()) {}
  static StreamModel ragged() {
    StreamModel model;
    model.split_ppm = model.short_ppm = 900'000;
    return model;
  }
};

TEST_F(RaggedStreams, SplitReadsAndShortWritesKeepEveryByte) {
  connect();
  std::string sent;
  for (int i = 0; i < 5000; ++i) sent += static_cast<char>('a' + i % 26);
  std::string got;
  std::size_t written = 0;
  int writes = 0;
  int reads = 0;
  while (got.size() < sent.size()) {
    if (written < sent.size()) {
      written += write(a.open, sent.substr(written)).bytes;
      ++writes;
    }
    run(microseconds(50));
    const std::string part = read(b.open);
    if (part != errno_words(EAGAIN)) got += part;
    ASSERT_LT(++reads, 10'000);
  }
  EXPECT_EQ(got, sent);
  EXPECT_GT(writes, 1);
  EXPECT_GT(b.readable, 1);
}

}  // namespace
}  // namespace ulnet::sim
