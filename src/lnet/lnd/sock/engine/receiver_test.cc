#include "lnet/lnd/sock/engine/receiver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

wire::LnetHeader header(std::uint32_t payload) {
  wire::LnetHeader header;
  header.dest_nid = *Nid::parse("192.168.1.20@tcp");
  header.src_nid = *Nid::parse("192.168.1.10@tcp");
  header.dest_pid = header.src_pid = Pid::lustre();
  header.payload_length = payload;
  header.part = wire::PutPart{};
  return header;
}

/// Reads a whole stream; lands each message in memory of its own.
struct Reading {
  Receiver receiver;
  std::vector<wire::LnetHeader> headers;
  std::vector<Bytes> payloads;
  std::vector<wire::Frame> noops;
  std::vector<Receiver::Event> errors;
  wire::LnetHeader scratch;
  iovec vector{};
  Bytes sink;

  explicit Reading(std::uint32_t version, Order order = Order::kLittle) {
    receiver.open(version, order);
  }
  void feed(ByteView in) {
    for (;;) {
      switch (const Receiver::Event event = receiver.next(in, scratch)) {
        case Receiver::Event::kMore:
          return;
        case Receiver::Event::kNoop:
          noops.push_back(receiver.frame());
          break;
        case Receiver::Event::kFrame:
          break;
        case Receiver::Event::kHeader:
          headers.push_back(scratch);
          sink.assign(scratch.payload_length, std::byte{});
          vector = {sink.data(), sink.size()};
          receiver.land({&vector, 1, 0, scratch.payload_length});
          break;
        case Receiver::Event::kPayload:
          payloads.push_back(sink);
          if (receiver.checksum_wrong()) errors.push_back(event);
          break;
        default:
          errors.push_back(event);
          return;
      }
    }
  }
};

// spec/wire-socklnd.md 12: framing header, LNet header and payload may come in any pieces; 6: a
// framing header has 24 bytes; version 1 has no framing header
TEST(Receiver, ReadsMessagesInAnySlices) {
  for (std::uint32_t version = 1; version <= 4; ++version) {
    Bytes stream;
    for (const std::uint32_t size : {0U, 5U, 300U, 1U})
      stream = stream + put_bytes(header(size), Bytes(size, std::byte{0x5a}), version);
    if (version > 1) stream = stream + bytes_of(wire::NoopAcks::one(7).frame());
    for (std::size_t slice = 1; slice < 700; slice = slice * 3 + 1) {
      Reading reading(version);
      for (std::size_t at = 0; at < stream.size(); at += slice)
        reading.feed(ByteView(stream).subspan(at, std::min(slice, stream.size() - at)));
      ASSERT_EQ(reading.payloads.size(), 4U) << version << "/" << slice;
      EXPECT_EQ(reading.payloads[2], Bytes(300, std::byte{0x5a}));
      EXPECT_EQ(reading.headers[1], header(5));
      EXPECT_EQ(reading.noops.size(), version > 1 ? 1U : 0U);
      EXPECT_FALSE(reading.receiver.mid_message());
      EXPECT_TRUE(reading.errors.empty());
    }
  }
}

// spec/wire-socklnd.md 4.4: the four fields of the framing header have the peer's byte order,
// LNet headers never
TEST(Receiver, AFlippedConnectionSwapsTheFrameAlone) {
  Bytes frame(wire::kFrameBytes);
  wire::encode_frame({wire::FrameType::kLnet, 0, 0x1234, 0}, frame, Order::kBig);
  const Bytes plain = put_bytes(header(3), text_bytes("abc"));
  Reading reading(3, Order::kBig);
  reading.feed(frame + Bytes(plain.begin() + wire::kFrameBytes, plain.end()));
  ASSERT_EQ(reading.payloads.size(), 1U);
  EXPECT_EQ(reading.receiver.frame().cookie0, 0x1234U);
}

// spec/wire-socklnd.md 6: any other frame type is a protocol error
TEST(Receiver, AnUnknownFrameTypeIsAnError) {
  Reading reading(3);
  reading.feed(Bytes(24, std::byte{0x11}));
  EXPECT_EQ(reading.errors, std::vector{Receiver::Event::kBadFrame});
}

// spec/wire-lnet.md 2.3, to which spec/wire-socklnd.md 10 refers
TEST(Receiver, AHeaderErrorComesWithItsReason) {
  wire::LnetHeader bad = header(0);
  bad.part = wire::AckPart{};
  Bytes stream = put_bytes(bad, {});
  stream[24 + 28] = std::byte{9};  // an ACK with payload
  Reading reading(3);
  reading.feed(stream);
  EXPECT_EQ(reading.errors, std::vector{Receiver::Event::kBadHeader});
  EXPECT_EQ(reading.receiver.error(), wire::DecodeError::kPayloadNotAllowed);
}

// spec/wire-socklnd.md 6.1: with versions 3 and 4 a checksum covers the payload; 0 means none
TEST(Receiver, ChecksumsOfLaterVersionsCoverThePayload) {
  const Bytes payload = text_bytes("123456789");
  for (const std::uint32_t version : {3U, 4U}) {
    for (const std::uint32_t sum : {0U, 0x340bc6d9U, 0x340bc6d8U}) {
      Reading reading(version);
      reading.feed(put_bytes(header(9), payload, version, {wire::FrameType::kLnet, sum, 0, 0}));
      EXPECT_EQ(reading.errors.size(), sum == 0x340bc6d8U ? 1U : 0U);
    }
    Reading empty(version);
    empty.feed(put_bytes(header(0), {}, version, {wire::FrameType::kLnet, 0xffffffff, 0, 0}));
    EXPECT_TRUE(empty.errors.empty());
  }
}

// spec/wire-socklnd.md 6.1: with version 2 it covers framing header, LNet header and payload; 0
// means none
TEST(Receiver, ChecksumsOfVersion2CoverEverything) {
  const Bytes payload = text_bytes("payload");
  const Bytes plain = put_bytes(header(7), payload, 2, {wire::FrameType::kLnet, 0, 5, 0});
  const std::uint32_t sum = wire::crc32(plain);
  Reading right(2);
  right.feed(put_bytes(header(7), payload, 2, {wire::FrameType::kLnet, sum, 5, 0}));
  EXPECT_TRUE(right.errors.empty());
  Reading wrong(2);
  wrong.feed(put_bytes(header(7), payload, 2, {wire::FrameType::kLnet, sum ^ 1, 5, 0}));
  EXPECT_EQ(wrong.errors.size(), 1U);
  Reading none(2);
  none.feed(plain);
  EXPECT_TRUE(none.errors.empty());
}

// spec/wire-socklnd.md 6.1: in a NOOP it must be 0xffffffff (versions 3 and 4), or cover the
// frame (version 2, vectors.md 26)
TEST(Receiver, ChecksumsOfNoops) {
  const auto noop = [](std::uint32_t sum) {
    return bytes_of(wire::Frame{wire::FrameType::kNoop, sum, 0, 7});
  };
  const std::pair<std::uint32_t, std::uint32_t> right[] = {
      {3, 0}, {3, 0xffffffff}, {4, 0xffffffff}, {2, 0}, {2, 0x3d9e3319}};
  for (const auto& [version, sum] : right) {
    Reading reading(version);
    reading.feed(noop(sum));
    EXPECT_TRUE(reading.errors.empty()) << version;
  }
  const std::pair<std::uint32_t, std::uint32_t> wrong[] = {
      {3, 1}, {4, 0x3d9e3319}, {2, 0xffffffff}};
  for (const auto& [version, sum] : wrong) {
    Reading reading(version);
    reading.feed(noop(sum));
    EXPECT_EQ(reading.errors, std::vector{Receiver::Event::kBadChecksum}) << version;
  }
}

// spec/wire-socklnd.md 6.1: the checksum of payload that is cut or discarded is not verified
TEST(Receiver, TruncatedAndDiscardedPayloadIsNotChecked) {
  for (const std::uint32_t wanted : {0U, 4U}) {
    Receiver receiver;
    receiver.open(3, Order::kLittle);
    const Bytes stream =
        put_bytes(header(9), text_bytes("123456789"), 3, {wire::FrameType::kLnet, 1, 0, 0});
    ByteView in(stream);
    wire::LnetHeader seen;
    ASSERT_EQ(receiver.next(in, seen), Receiver::Event::kHeader);
    char sink[4];
    iovec vector{sink, 4};
    receiver.land({&vector, 1, 0, wanted});
    EXPECT_EQ(receiver.next(in, seen), Receiver::Event::kPayload);
    EXPECT_FALSE(receiver.checksum_wrong());
  }
}

// DESIGN.md 2: payload is read straight into its memory, here through direct(); its checksum is
// verified there too
TEST(Receiver, PayloadIsReadInPlace) {  // spec/wire-socklnd.md 12
  const Bytes payload = text_bytes("123456789");
  const Bytes stream = put_bytes(header(9), payload, 3, {wire::FrameType::kLnet, 0x340bc6d9, 0, 0});
  Receiver receiver;
  receiver.open(3, Order::kLittle);
  wire::LnetHeader seen;
  ByteView in = ByteView(stream).first(96 + 2);
  ASSERT_EQ(receiver.next(in, seen), Receiver::Event::kHeader);
  char sink[12] = {};
  iovec pieces[3] = {{sink, 1}, {sink + 1, 3}, {sink + 4, 5}};
  receiver.land({pieces, 3, 0, 9});
  EXPECT_EQ(receiver.next(in, seen), Receiver::Event::kMore);
  iovec rest[4];
  std::size_t bytes = 0;
  ASSERT_EQ(receiver.direct(rest, 4, bytes), 2U);
  EXPECT_EQ(bytes, 7U);
  EXPECT_EQ(rest[0].iov_base, sink + 2);
  std::memcpy(sink + 2, "3456789", 7);
  receiver.landed(7);
  in = {};
  EXPECT_EQ(receiver.next(in, seen), Receiver::Event::kPayload);
  EXPECT_FALSE(receiver.checksum_wrong());
  EXPECT_STREQ(sink, "123456789");
}

// After a large payload only the next headers are read ahead, so that the payload after them can
// be read in place too.
TEST(Receiver, ReadsAheadAsTheTrafficSuggests) {
  Receiver receiver;
  receiver.open(3, Order::kLittle);
  EXPECT_EQ(receiver.read_ahead(65536), 65536U);
  const Bytes stream = put_bytes(header(1 << 20), {});
  ByteView in(stream);
  wire::LnetHeader seen;
  ASSERT_EQ(receiver.next(in, seen), Receiver::Event::kHeader);
  EXPECT_EQ(receiver.read_ahead(65536), 0U) << "nothing before the verdict";
  Bytes sink(1 << 20);
  iovec vector{sink.data(), sink.size()};
  receiver.land({&vector, 1, 0, 1 << 20});
  EXPECT_EQ(receiver.read_ahead(65536), 96U);
  receiver.landed(1 << 20);
  EXPECT_EQ(receiver.next(in, seen), Receiver::Event::kPayload);
  EXPECT_EQ(receiver.read_ahead(65536), 96U);
}

// After a payload of 8192 bytes or more only the next headers are read ahead, less the bytes of
// them that were read already.
TEST(Receiver, ReadsAheadTheRestOfTheNextHeaders) {
  for (std::uint32_t version = 1; version <= 4; ++version) {
    for (const std::uint32_t size : {8191U, 8192U}) {
      const auto expect = [&](const Receiver& receiver, std::size_t headers) {
        EXPECT_EQ(receiver.read_ahead(65536), size == 8192 ? headers : 65536U) << version;
        EXPECT_EQ(receiver.read_ahead(9), 9U);
      };
      const std::size_t frame = version == 1 ? 0 : 24;
      const std::size_t all = frame + (version == 4 ? 96 : 72);
      Reading reading(version);
      const Bytes stream = put_bytes(header(size), Bytes(size), version);
      reading.feed(ByteView(stream).first(stream.size() - 1));
      EXPECT_TRUE(reading.receiver.mid_message());
      expect(reading.receiver, all);
      reading.feed(ByteView(stream).last(1));
      EXPECT_FALSE(reading.receiver.mid_message());
      expect(reading.receiver, all);
      reading.feed(ByteView(stream).first(10));
      EXPECT_TRUE(reading.receiver.mid_message());
      expect(reading.receiver, all - 10);
      reading.feed(ByteView(stream).subspan(10, frame + 20));
      expect(reading.receiver, all - frame - 30);
      EXPECT_EQ(reading.headers.size(), 1U);
    }
  }
}

// The rest of a payload that is discarded may be read together with what follows it.
TEST(Receiver, ReadsAheadOfDiscardedPayload) {
  Receiver receiver;
  receiver.open(3, Order::kLittle);
  const Bytes stream = put_bytes(header(100000), {});
  ByteView in(stream);
  wire::LnetHeader seen;
  ASSERT_EQ(receiver.next(in, seen), Receiver::Event::kHeader);
  std::size_t bytes = 9;
  iovec vector;
  EXPECT_EQ(receiver.direct(&vector, 1, bytes), 0U) << "nothing before the verdict";
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(receiver.next(in, seen), Receiver::Event::kVerdict);
  receiver.discard();
  EXPECT_EQ(receiver.read_ahead(65536), 65536U);
  EXPECT_EQ(receiver.direct(&vector, 1, bytes), 0U);
}

}  // namespace
}  // namespace ulnet::lnd::sock
