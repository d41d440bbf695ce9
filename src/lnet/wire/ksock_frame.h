// The framing header, 24 bytes before every message of a version 2, 3 or 4 connection, and the
// checksum in it. ksock_ack.h interprets the cookies. Source: spec/wire-socklnd.md 6.
#pragma once

#include <cstdint>

#include "lnet/base/bytes.h"
#include "lnet/wire/crc32.h"
#include "lnet/wire/decode_error.h"

namespace ulnet::wire {

inline constexpr std::size_t kFrameBytes = 24;

enum class FrameType : std::uint32_t { kNoop = 0xc0, kLnet = 0xc1 };

struct Frame {
  FrameType type = FrameType::kLnet;
  std::uint32_t checksum = 0;  ///< 0: no checksum
  std::uint64_t cookie0 = 0;
  std::uint64_t cookie1 = 0;

  bool operator==(const Frame&) const = default;
};

/// Reads kFrameBytes from `bytes`; `order` is that of the peer's hello. kTruncated, kBadType.
inline Decoded<Frame> decode_frame(ByteView bytes, Order order = Order::kLittle) {
  if (bytes.size() < kFrameBytes) return refuse(DecodeError::kTruncated);
  const std::byte* p = bytes.data();
  Frame frame;
  frame.type = FrameType{load<std::uint32_t>(p, order)};
  frame.checksum = load<std::uint32_t>(p + 4, order);
  frame.cookie0 = load<std::uint64_t>(p + 8, order);
  frame.cookie1 = load<std::uint64_t>(p + 16, order);
  if (frame.type != FrameType::kNoop && frame.type != FrameType::kLnet)
    return refuse(DecodeError::kBadType);
  return frame;
}
/// Writes kFrameBytes. Order::kBig is for tests: a real sender is little-endian.
inline void encode_frame(const Frame& frame, ByteSpan out, Order order = Order::kLittle) {
  Writer to(out.first(kFrameBytes), order);
  to.u32(static_cast<std::uint32_t>(frame.type));
  to.u32(frame.checksum);
  to.u64(frame.cookie0);
  to.u64(frame.cookie1);
}

/// Begins the checksum of an LNET message; the caller adds the payload. In version 2 it covers the
/// framing and LNet headers as transmitted (with zero for the checksum field) and the payload, in
/// later versions only the payload (spec/wire-socklnd.md 6.1).
Crc32 begin_checksum(std::uint32_t version, ByteView frame_bytes, ByteView header_bytes);
/// The checksum that a NOOP must have, if it has one.
std::uint32_t noop_checksum(std::uint32_t version, ByteView frame_bytes);

}  // namespace ulnet::wire
