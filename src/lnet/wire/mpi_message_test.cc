#include "lnet/wire/mpi_message.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace ulnet::wire {
namespace {

MpiGreeting greeting(MpiGreeting::Kind kind = MpiGreeting::Kind::kQuery) {
  MpiGreeting made;
  made.kind = kind;
  made.min_version = 1;
  made.max_version = 3;
  made.short_bytes = 4096;
  made.pool = 64;
  made.tag_max = 32767;
  made.epoch = 0x1122334455667788;
  made.answers = kind == MpiGreeting::Kind::kQuery ? 0 : 77;
  return made;
}

std::vector<std::byte> bytes_of(const MpiGreeting& what) {
  std::vector<std::byte> bytes(kMpiGreetingBytes);
  encode_greeting(what, bytes);
  return bytes;
}

LnetHeader put(std::uint32_t length) {
  LnetHeader header;
  header.src_nid = Nid::small({NetType::kMpi, 0}, 3);
  header.dest_nid = Nid::small({NetType::kMpi, 0}, 5);
  header.src_pid = header.dest_pid = Pid::lustre();
  header.payload_length = length;
  header.part = PutPart{{}, 0x1234, 0x5678, 7, 0};
  return header;
}

LnetHeader get() {
  LnetHeader header = put(0);
  header.part = GetPart{{}, 0x1234, 7, 0, 100};
  return header;
}

std::vector<std::byte> bytes_of(const MpiFrame& frame) {
  std::vector<std::byte> bytes(frame_bytes(frame));
  encode_frame(frame, bytes);
  return bytes;
}

TEST(MpiGreeting, IsReadAsItWasWritten) {
  for (const auto kind :
       {MpiGreeting::Kind::kQuery, MpiGreeting::Kind::kResponse, MpiGreeting::Kind::kRefusal}) {
    const auto bytes = bytes_of(greeting(kind));
    EXPECT_TRUE(is_greeting(bytes));
    EXPECT_EQ(decode_greeting(bytes), greeting(kind));
  }
}

TEST(MpiGreeting, IsRefusedWithItsReason) {
  const auto refused = [](const std::function<void(MpiGreeting&)>& change) {
    MpiGreeting wrong = greeting();
    change(wrong);
    return decode_greeting(bytes_of(wrong)).error();
  };
  EXPECT_EQ(refused([](auto& g) { g.min_version = 0; }), DecodeError::kBadVersion);
  EXPECT_EQ(refused([](auto& g) { g.min_version = 4; }), DecodeError::kBadVersion);
  EXPECT_EQ(refused([](auto& g) { g.short_bytes = kMpiShortBytesMin - 1; }),
            DecodeError::kBadCount);
  EXPECT_EQ(refused([](auto& g) { g.pool = 0; }), DecodeError::kBadCount);
  EXPECT_EQ(refused([](auto& g) { g.epoch = 0; }), DecodeError::kBadCount);
  EXPECT_EQ(refused([](auto& g) { g.answers = 5; }), DecodeError::kBadCookie);
  EXPECT_EQ(refused([](auto& g) { g.kind = MpiGreeting::Kind::kResponse; }),
            DecodeError::kBadCookie);
  EXPECT_EQ(refused([](auto& g) { g.kind = MpiGreeting::Kind{9}; }), DecodeError::kBadType);
  auto bytes = bytes_of(greeting());
  EXPECT_EQ(decode_greeting(ByteView(bytes).first(47)).error(), DecodeError::kTruncated);
  bytes.push_back({});
  EXPECT_EQ(decode_greeting(bytes).error(), DecodeError::kBadCount);
  bytes.pop_back();
  bytes[0] = std::byte{1};
  EXPECT_FALSE(is_greeting(bytes));
  EXPECT_EQ(decode_greeting(bytes).error(), DecodeError::kBadMagic);
}

TEST(MpiGreeting, TheHighestCommonVersionIsTaken) {
  MpiGreeting one = greeting(), other = greeting();
  one.max_version = 2;
  EXPECT_EQ(common_version(one, other), 2);
  EXPECT_EQ(common_version(other, one), 2);
  other.min_version = 3;
  EXPECT_EQ(common_version(one, other), std::nullopt);
}

TEST(MpiBatch, HasItsFramesBehindIt) {
  const std::vector<std::byte> payload(13, std::byte{7});
  const std::vector<MpiFrame> frames = {
      {MpiFrameType::kImmediate, 0, put(13), payload},
      {MpiFrameType::kLarge, 9, put(70000), {}},
      {MpiFrameType::kGet, 11, get(), {}},
      {MpiFrameType::kImmediate, 0, get(), {}},
      {MpiFrameType::kWithdraw, 9, {}, {}},
      {MpiFrameType::kNoData, 11, {}, {}},
      {MpiFrameType::kAlive, 0, {}, {}},
      {MpiFrameType::kAliveToo, 0, {}, {}},
  };
  const MpiBatch batch{1, 42, 43};
  std::vector<std::byte> message(kMpiBatchBytes);
  encode_batch(batch, message);
  for (const MpiFrame& frame : frames) {
    const auto bytes = bytes_of(frame);
    EXPECT_EQ(bytes.size() % 8, 0U);
    message.insert(message.end(), bytes.begin(), bytes.end());
  }
  EXPECT_FALSE(is_greeting(message));
  ByteView rest;
  EXPECT_EQ(decode_batch(message, rest), batch);
  for (const MpiFrame& frame : frames) {
    const auto taken = take_frame(rest);
    ASSERT_TRUE(taken) << to_string(frame.type);
    EXPECT_EQ(taken->type, frame.type);
    EXPECT_EQ(taken->tag, frame.tag);
    EXPECT_EQ(taken->header, frame.header);
    EXPECT_TRUE(std::equal(taken->payload.begin(), taken->payload.end(), frame.payload.begin(),
                           frame.payload.end()));
  }
  EXPECT_TRUE(rest.empty());
}

TEST(MpiBatch, IsRefusedWithItsReason) {
  std::vector<std::byte> message(kMpiBatchBytes);
  ByteView rest;
  encode_batch({0, 42, 43}, message);
  EXPECT_EQ(decode_batch(message, rest).error(), DecodeError::kBadVersion);
  encode_batch({1, 42, 43}, message);
  EXPECT_EQ(decode_batch(ByteView(message).first(23), rest).error(), DecodeError::kTruncated);
  message[3] = std::byte{1};
  EXPECT_EQ(decode_batch(message, rest).error(), DecodeError::kBadMagic);
}

TEST(MpiFrame, WithANidOfSixteenBytesHasTheLargeHeader) {
  LnetHeader header = put(0);
  header.src_nid = *Nid::parse("fd00::1@tcp");
  const MpiFrame frame{MpiFrameType::kImmediate, 0, header, {}};
  EXPECT_EQ(frame_bytes(frame), kMpiFrameBytes + kHeaderBytesNid16);
  const auto bytes = bytes_of(frame);
  ByteView rest = bytes;
  EXPECT_EQ(take_frame(rest)->header, header);
}

TEST(MpiFrame, IsRefusedWithItsReason) {
  const auto refused = [](std::vector<std::byte> bytes) {
    ByteView rest = bytes;
    const auto taken = take_frame(rest);
    return taken ? "taken" : std::string(to_string(taken.error()));
  };
  const auto changed = [](const MpiFrame& frame, std::size_t at, unsigned value) {
    auto bytes = bytes_of(frame);
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
  };
  const auto words = [](DecodeError error) { return std::string(to_string(error)); };
  const std::vector<std::byte> payload(13);
  const MpiFrame immediate{MpiFrameType::kImmediate, 0, put(13), payload};
  const MpiFrame large{MpiFrameType::kLarge, 9, put(70000), {}};
  EXPECT_EQ(refused(changed(immediate, 0, 0)), words(DecodeError::kBadType));
  EXPECT_EQ(refused(changed(immediate, 0, 8)), words(DecodeError::kBadType));
  EXPECT_EQ(refused(changed(immediate, 1, 2)), words(DecodeError::kBadType));
  EXPECT_EQ(refused(changed(immediate, 8, 1)), words(DecodeError::kBadCookie));
  EXPECT_EQ(refused(changed(immediate, 4, 14)), words(DecodeError::kBadCount));
  EXPECT_EQ(refused(changed(large, 8, 0)), words(DecodeError::kBadCookie));
  EXPECT_EQ(refused(changed(large, 4, 1)), words(DecodeError::kBadCount));
  EXPECT_EQ(refused(bytes_of({MpiFrameType::kLarge, 9, put(0), {}})), words(DecodeError::kBadType));
  EXPECT_EQ(refused(bytes_of({MpiFrameType::kLarge, 9, get(), {}})), words(DecodeError::kBadType));
  EXPECT_EQ(refused(bytes_of({MpiFrameType::kGet, 9, put(0), {}})), words(DecodeError::kBadType));
  EXPECT_EQ(refused(changed({MpiFrameType::kAlive, 0, {}, {}}, 4, 1)),
            words(DecodeError::kBadCount));
  for (const MpiFrame& frame : {immediate, large}) {
    const auto bytes = bytes_of(frame);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_EQ(refused({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                words(DecodeError::kTruncated))
          << size;
  }
}

}  // namespace
}  // namespace ulnet::wire
