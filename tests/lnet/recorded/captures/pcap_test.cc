#include "tests/lnet/recorded/captures/pcap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string_view>

namespace ulnet::capture {
namespace {

using std::chrono::microseconds;

constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kAck = 0x10;
constexpr std::uint16_t kClientPort = 1023, kServerPort = 988;

// Writes a recording packet by packet, a microsecond apart.
class Tape {
 public:
  explicit Tape(Order order = Order::kLittle, std::uint32_t magic = 0xa1b2c3d4) : order_(order) {
    word(magic);
    for (const std::uint32_t w : {0x00040002U, 0U, 0U, 65535U, 1U}) word(w);
  }
  Tape& up(std::uint32_t sequence, std::string_view data, std::uint8_t flags = kAck) {
    return packet(true, sequence, data, flags);
  }
  Tape& down(std::uint32_t sequence, std::string_view data, std::uint8_t flags = kAck) {
    return packet(false, sequence, data, flags);
  }
  Tape& open(std::uint32_t client = 99, std::uint32_t server = 499) {
    return up(client, "", kSyn).down(server, "", kSyn | kAck).up(client + 1, "");
  }
  Tape& ip6() {
    ip6_ = true;
    return *this;
  }
  std::vector<std::byte> bytes;

 private:
  void word(std::uint32_t value) {
    bytes.resize(bytes.size() + 4);
    Writer(ByteSpan(bytes).last(4), order_).u32(value);
  }
  Tape& packet(bool up, std::uint32_t sequence, std::string_view data, std::uint8_t flags) {
    const std::size_t tcp = 20 + data.size();
    const std::size_t ip = ip6_ ? 40 : 20;
    std::vector<std::byte> frame(14 + ip + tcp);
    Writer out(frame, Order::kBig);
    out.zeros(12);
    out.u16(ip6_ ? 0x86dd : 0x0800);
    if (ip6_) {
      out.u32(0x60000000);
      out.u16(static_cast<std::uint16_t>(tcp));
      out.u16(0x0640);
      for (const std::uint8_t end : {up ? 1 : 2, up ? 2 : 1}) {
        out.u16(0xfd99);
        out.zeros(13);
        out.u8(end);
      }
    } else {
      out.u16(0x4500);
      out.u16(static_cast<std::uint16_t>(ip + tcp));
      out.u32(0x4000);
      out.u16(0x4006);
      out.u16(0);
      out.u32(up ? 0x0a000001 : 0x0a000002);
      out.u32(up ? 0x0a000002 : 0x0a000001);
    }
    out.u16(up ? kClientPort : kServerPort);
    out.u16(up ? kServerPort : kClientPort);
    out.u32(sequence);
    out.u32(0);
    out.u8(0x50);
    out.u8(flags);
    out.zeros(6);
    out.bytes(data.data(), data.size());
    word(7);
    word(time_++);
    word(static_cast<std::uint32_t>(frame.size()));
    word(static_cast<std::uint32_t>(frame.size()));
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    return *this;
  }

  Order order_;
  bool ip6_ = false;
  std::uint32_t time_ = 0;
};

std::string text(const Stream& stream) {
  return {reinterpret_cast<const char*>(stream.bytes.data()), stream.bytes.size()};
}
Connection only(const Tape& tape) {
  const auto connections = read_connections(tape.bytes).value();
  EXPECT_EQ(connections.size(), 1U);
  return connections.empty() ? Connection{} : connections[0];
}

TEST(Pcap, GivesBothStreamsWithTheirTimes) {
  Tape tape;
  tape.open()
      .up(100, "hello ")
      .down(500, "yes")
      .up(106, "world")
      .up(111, "", kFin | kAck)
      .down(503, "", kRst);
  const Connection connection = only(tape);
  EXPECT_EQ(connection.client, (Endpoint{"10.0.0.1", kClientPort}));
  EXPECT_EQ(connection.server, (Endpoint{"10.0.0.2", kServerPort}));
  EXPECT_TRUE(connection.from_start);
  EXPECT_EQ(text(connection.to_server), "hello world");
  EXPECT_EQ(text(connection.to_client), "yes");
  EXPECT_EQ(connection.to_server.chunks,
            (std::vector<Chunk>{{microseconds(3), 0, 6}, {microseconds(5), 6, 11}}));
  EXPECT_EQ(connection.to_server.fin, microseconds(6));
  EXPECT_EQ(connection.to_client.reset, microseconds(7));
  EXPECT_FALSE(connection.to_server.incomplete);
}

TEST(Pcap, PutsOvertakenAndRepeatedSegmentsInOrder) {
  Tape tape;
  tape.open()
      .up(104, "efg")
      .up(100, "ab")
      .up(100, "abcd")
      .up(102, "cdef")
      .up(104, "efg")
      .up(99, "?")
      .up(107, "h");
  const Connection connection = only(tape);
  EXPECT_EQ(text(connection.to_server), "abcdefgh");
  EXPECT_FALSE(connection.to_server.incomplete);
  EXPECT_EQ(connection.to_server.chunks.front(), (Chunk{microseconds(4), 0, 2}));
  EXPECT_EQ(connection.to_server.chunks[1], (Chunk{microseconds(5), 2, 7}))
      << "the bytes that waited become readable";
}

TEST(Pcap, AGapEndsTheStreamAndSaysSo) {
  Tape tape;
  tape.open().up(100, "ab").up(104, "ef");
  EXPECT_EQ(text(only(tape).to_server), "ab");
  EXPECT_TRUE(only(tape).to_server.incomplete);
}

TEST(Pcap, SequenceNumbersWrap) {
  Tape tape;
  tape.open(0xfffffffd).up(0xfffffffe, "ab").up(2, "ef").up(0, "cd");
  EXPECT_EQ(text(only(tape).to_server), "abcdef");
}

TEST(Pcap, WithoutASynTheWellKnownPortIsTheServer) {
  Tape tape;
  tape.down(500, "first").up(100, "second");
  const Connection connection = only(tape);
  EXPECT_FALSE(connection.from_start);
  EXPECT_EQ(connection.server.port, kServerPort);
  EXPECT_EQ(text(connection.to_client), "first");
  EXPECT_EQ(text(connection.to_server), "second");
}

TEST(Pcap, PortsThatAreUsedAgainMakeAnotherConnection) {
  Tape tape;
  tape.open(99, 499).up(100, "one").up(99, "", kSyn);  // a repeated SYN
  tape.open(8999, 7999).up(9000, "two");
  const auto connections = read_connections(tape.bytes).value();
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_EQ(text(connections[0].to_server), "one");
  EXPECT_EQ(text(connections[1].to_server), "two");
}

TEST(Pcap, ReadsIp6) {
  Tape tape;
  tape.ip6().open().up(100, "six");
  const Connection connection = only(tape);
  EXPECT_EQ(connection.client.address, "fd99::1");
  EXPECT_EQ(text(connection.to_server), "six");
}

TEST(Pcap, ReadsTheOtherByteOrderAndNanoseconds) {
  Tape big(Order::kBig);
  big.open().up(100, "big");
  EXPECT_EQ(text(only(big).to_server), "big");
  Tape nano(Order::kLittle, 0xa1b23c4d);
  nano.open().up(100, "nano");
  EXPECT_EQ(only(nano).to_server.chunks[0].at, std::chrono::nanoseconds(3));
}

TEST(Pcap, OtherFilesAreRefused) {
  EXPECT_FALSE(read_connections({}));
  const std::vector<std::byte> zeros(100);
  EXPECT_FALSE(read_connections(zeros));
  EXPECT_EQ(read_capture("no such file").error().code, -ENOENT);
}

TEST(Pcap, AFileCutAnywhereIsReadAsFarAsItGoes) {
  Tape tape;
  tape.open().up(100, "hello");
  for (std::size_t length = 24; length < tape.bytes.size(); ++length) {
    const std::vector<std::byte> cut(tape.bytes.begin(),
                                     tape.bytes.begin() + static_cast<std::ptrdiff_t>(length));
    ASSERT_TRUE(read_connections(cut)) << length;
  }
}

RC_GTEST_PROP(Pcap, AnyOrderOfAnySegmentsGivesTheStream, ()) {
  const std::string sent = *rc::gen::container<std::string>(40, rc::gen::inRange('a', 'z'));
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t at = 0; at < sent.size(); at += pieces.back().second)
    pieces.emplace_back(at, std::min(sent.size() - at, *rc::gen::inRange<std::size_t>(1, 9)));
  for (int more = 5; more > 0; --more) {
    const auto at = *rc::gen::inRange<std::size_t>(0, sent.size());
    pieces.emplace_back(at, *rc::gen::inRange<std::size_t>(0, sent.size() - at + 1));
  }
  for (std::size_t i = pieces.size(); i > 1; --i)
    std::swap(pieces[i - 1], pieces[*rc::gen::inRange<std::size_t>(0, i)]);
  const auto start = *rc::gen::arbitrary<std::uint32_t>();
  Tape tape;
  tape.open(start - 1);
  for (const auto& [at, length] : pieces)
    tape.up(start + static_cast<std::uint32_t>(at), std::string_view(sent).substr(at, length));
  const Connection connection = only(tape);
  RC_ASSERT(text(connection.to_server) == sent);
  RC_ASSERT(!connection.to_server.incomplete);
  RC_ASSERT(connection.to_server.chunks.back().end == sent.size());
}

// Checks only that reading ends, without a crash or a report of a sanitizer.
RC_GTEST_PROP(Pcap, SmokeHostileFilesAreSurvived, ()) {
  Tape tape;
  tape.open().up(100, "hello").down(500, "there");
  for (int flips = *rc::gen::inRange(1, 20); flips > 0; --flips)
    tape.bytes[*rc::gen::inRange<std::size_t>(0, tape.bytes.size())] =
        static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  (void)read_connections(tape.bytes);
}

}  // namespace
}  // namespace ulnet::capture
