// Decoders of what other processes send: every length is checked before it is used.
#include "lnet/wire/mpi_message.h"

#include <algorithm>

namespace ulnet::wire {
namespace {

constexpr std::size_t kAlign = 8;

constexpr std::size_t padded(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

bool is_large(const LnetHeader& header) {
  return !header.src_nid.is_small() || !header.dest_nid.is_small();
}

/// Bytes of payload in the frame.
std::uint32_t payload_bytes(const MpiFrame& frame) {
  return frame.type == MpiFrameType::kImmediate ? frame.header.payload_length : 0;
}

/// Whether the frame names a transfer.
constexpr bool has_tag(MpiFrameType type) {
  return type >= MpiFrameType::kLarge && type <= MpiFrameType::kNoData;
}

Decoded<LnetHeader> take_header(ByteView& rest, HeaderForm form) {
  const std::size_t bytes = header_bytes(form);
  if (rest.size() < bytes) return refuse(DecodeError::kTruncated);
  auto header = decode_header(rest.first(bytes), form);
  rest = rest.subspan(bytes);
  return header;
}

/// Whether a frame of this type can carry the message.
bool fits(MpiFrameType type, const LnetHeader& header) {
  return (type == MpiFrameType::kGet) ==
             (header.type() == MsgType::kGet && type != MpiFrameType::kImmediate) &&
         (type != MpiFrameType::kLarge || header.payload_length != 0);
}

}  // namespace

const char* to_string(MpiFrameType type) {
  switch (type) {
    case MpiFrameType::kImmediate:
      return "immediate message";
    case MpiFrameType::kLarge:
      return "large message";
    case MpiFrameType::kGet:
      return "GET";
    case MpiFrameType::kWithdraw:
      return "withdrawal";
    case MpiFrameType::kNoData:
      return "no data";
    case MpiFrameType::kAlive:
      return "alive?";
    case MpiFrameType::kAliveToo:
      return "alive";
  }
  return "unknown";
}

std::optional<std::uint16_t> common_version(const MpiGreeting& one, const MpiGreeting& other) {
  const std::uint16_t version = std::min(one.max_version, other.max_version);
  if (version < std::max(one.min_version, other.min_version)) return std::nullopt;
  return version;
}

// ---- greetings ----------------------------------------------------------------------------------

bool is_greeting(ByteView message) {
  return message.size() >= 4 && load_le<std::uint32_t>(message.data()) == kMpiGreetingMagic;
}

Decoded<MpiGreeting> decode_greeting(ByteView message) {
  if (message.size() < kMpiGreetingBytes) return refuse(DecodeError::kTruncated);
  if (message.size() > kMpiGreetingBytes) return refuse(DecodeError::kBadCount);
  Reader in(message);
  if (in.u32() != kMpiGreetingMagic) return refuse(DecodeError::kBadMagic);
  MpiGreeting greeting;
  const std::uint32_t kind = in.u32();
  if (kind < 1 || kind > 3) return refuse(DecodeError::kBadType);
  greeting.kind = static_cast<MpiGreeting::Kind>(kind);
  greeting.min_version = in.u16();
  greeting.max_version = in.u16();
  greeting.short_bytes = in.u32();
  greeting.pool = in.u32();
  greeting.tag_max = in.u32();
  in.u64();  // reserved
  greeting.epoch = in.u64();
  greeting.answers = in.u64();
  if (greeting.min_version == 0 || greeting.min_version > greeting.max_version)
    return refuse(DecodeError::kBadVersion);
  if (greeting.short_bytes < kMpiShortBytesMin || greeting.pool == 0 || greeting.epoch == 0)
    return refuse(DecodeError::kBadCount);
  if ((greeting.answers == 0) != (greeting.kind == MpiGreeting::Kind::kQuery))
    return refuse(DecodeError::kBadCookie);
  return greeting;
}

void encode_greeting(const MpiGreeting& greeting, ByteSpan out) {
  Writer to(out.first(kMpiGreetingBytes));
  to.u32(kMpiGreetingMagic);
  to.u32(static_cast<std::uint32_t>(greeting.kind));
  to.u16(greeting.min_version);
  to.u16(greeting.max_version);
  to.u32(greeting.short_bytes);
  to.u32(greeting.pool);
  to.u32(greeting.tag_max);
  to.u64(0);
  to.u64(greeting.epoch);
  to.u64(greeting.answers);
}

// ---- batches ------------------------------------------------------------------------------------

Decoded<MpiBatch> decode_batch(ByteView message, ByteView& rest) {
  if (message.size() < kMpiBatchBytes) return refuse(DecodeError::kTruncated);
  Reader in(message.first(kMpiBatchBytes));
  if (in.u32() != kMpiBatchMagic) return refuse(DecodeError::kBadMagic);
  MpiBatch batch;
  batch.version = in.u16();
  in.u16();  // reserved
  batch.epoch = in.u64();
  batch.addressee = in.u64();
  if (batch.version == 0) return refuse(DecodeError::kBadVersion);
  rest = message.subspan(kMpiBatchBytes);
  return batch;
}

void encode_batch(const MpiBatch& batch, ByteSpan out) {
  Writer to(out.first(kMpiBatchBytes));
  to.u32(kMpiBatchMagic);
  to.u16(batch.version);
  to.u16(0);
  to.u64(batch.epoch);
  to.u64(batch.addressee);
}

std::size_t frame_bytes(const MpiFrame& frame) {
  if (!has_header(frame.type)) return kMpiFrameBytes;
  const auto form = is_large(frame.header) ? HeaderForm::kNid16 : HeaderForm::kNid4;
  return kMpiFrameBytes + header_bytes(form) + padded(payload_bytes(frame));
}

Decoded<MpiFrame> take_frame(ByteView& rest) {
  if (rest.size() < kMpiFrameBytes) return refuse(DecodeError::kTruncated);
  Reader in(rest.first(kMpiFrameBytes));
  MpiFrame frame;
  const std::uint8_t type = in.u8();
  const std::uint8_t large = in.u8();
  in.u16();  // reserved
  const std::uint32_t length = in.u32();
  frame.tag = in.u32();
  in.u32();  // reserved
  rest = rest.subspan(kMpiFrameBytes);
  if (type < 1 || type > static_cast<std::uint8_t>(MpiFrameType::kAliveToo) || large > 1)
    return refuse(DecodeError::kBadType);
  frame.type = static_cast<MpiFrameType>(type);
  if (has_tag(frame.type) != (frame.tag != 0)) return refuse(DecodeError::kBadCookie);
  if (!has_header(frame.type)) {
    if (length != 0 || large != 0) return refuse(DecodeError::kBadCount);
    return frame;
  }
  auto header = take_header(rest, large != 0 ? HeaderForm::kNid16 : HeaderForm::kNid4);
  if (!header) return refuse(header.error());
  frame.header = *header;
  if (!fits(frame.type, frame.header)) return refuse(DecodeError::kBadType);
  if (length != payload_bytes(frame)) return refuse(DecodeError::kBadCount);
  if (rest.size() < padded(length)) return refuse(DecodeError::kTruncated);
  frame.payload = rest.first(length);
  rest = rest.subspan(padded(length));
  return frame;
}

ByteSpan encode_frame(const MpiFrame& frame, ByteSpan out) {
  const std::uint32_t length = payload_bytes(frame);
  ULNET_ASSERT(frame.payload.empty() || frame.payload.size() == length);
  Writer to(out.first(frame_bytes(frame)));
  const bool with_header = has_header(frame.type);
  const bool large = with_header && is_large(frame.header);
  to.u8(static_cast<std::uint8_t>(frame.type));
  to.u8(large ? 1 : 0);
  to.u16(0);
  to.u32(length);
  to.u32(frame.tag);
  to.u32(0);
  if (!with_header) return {};
  const auto form = large ? HeaderForm::kNid16 : HeaderForm::kNid4;
  encode_header(frame.header, form, to.rest().first(header_bytes(form)));
  const ByteSpan payload = to.rest().subspan(header_bytes(form));
  Writer(payload).bytes(frame.payload.data(), frame.payload.size());
  Writer(payload.subspan(length)).zeros(payload.size() - length);
  return payload.first(length);
}

}  // namespace ulnet::wire
