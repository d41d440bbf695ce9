// The short messages of LNet over MPI: greetings, with which two processes agree on a version and
// learn each other's limits, and batches of frames. A frame is an LNet message, whole or without
// its payload, or a note about a transfer. Source: docs/MPI-PROTOCOL.md (no other implementation
// has this protocol).
#pragma once

#include <cstdint>
#include <optional>

#include "lnet/base/bytes.h"
#include "lnet/wire/decode_error.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::wire {

inline constexpr std::uint32_t kMpiGreetingMagic = 0x754c6e47;
inline constexpr std::uint32_t kMpiBatchMagic = 0x754c6e42;
inline constexpr std::size_t kMpiGreetingBytes = 48;
inline constexpr std::size_t kMpiBatchBytes = 24;  ///< before the first frame
inline constexpr std::size_t kMpiFrameBytes = 16;  ///< before the frame's LNet header
inline constexpr std::uint16_t kMpiVersion = 1;
/// The shortest limit that a greeting may have for short messages: a batch with one frame and its
/// LNet header.
inline constexpr std::uint32_t kMpiShortBytesMin =
    kMpiBatchBytes + kMpiFrameBytes + kHeaderBytesMax;

/// The greeting has this layout in all versions.
struct MpiGreeting {
  enum class Kind : std::uint8_t {
    kQuery = 1,     ///< asks for a response; the first message to any process
    kResponse = 2,  ///< answers a query
    kRefusal = 3,   ///< answers a query whose versions the sender does not have
  } kind = Kind::kQuery;
  std::uint16_t min_version = kMpiVersion;
  std::uint16_t max_version = kMpiVersion;
  std::uint32_t short_bytes = 0;  ///< the longest short message that the sender receives
  std::uint32_t pool = 0;         ///< how many short messages it can receive at a time
  std::uint32_t tag_max = 0;      ///< the greatest tag that it can use
  /// Names the sender's state about the receiver: another number when the sender has forgotten the
  /// receiver meanwhile. Never 0.
  std::uint64_t epoch = 0;
  /// The receiver's epoch that a response or a refusal answers; 0 in a query.
  std::uint64_t answers = 0;
  bool operator==(const MpiGreeting&) const = default;
};

/// The highest version that both have; empty if they have none in common.
std::optional<std::uint16_t> common_version(const MpiGreeting& one, const MpiGreeting& other);

enum class MpiFrameType : std::uint8_t {
  kImmediate = 1,  ///< an LNet message with its payload
  kLarge = 2,      ///< an LNet message; its payload comes under `tag`
  kGet = 3,        ///< a GET; its data is to come under `tag`
  kWithdraw = 4,   ///< the sender gives up the large message or GET with `tag`
  kNoData = 5,     ///< no data comes under `tag`: the receiver of the frame sent a GET for it
  kAlive = 6,      ///< asks for kAliveToo
  kAliveToo = 7,
};
const char* to_string(MpiFrameType type);
constexpr bool has_header(MpiFrameType type) { return type <= MpiFrameType::kGet; }

struct MpiFrame {
  MpiFrameType type = MpiFrameType::kAlive;
  std::uint32_t tag = 0;
  LnetHeader header;  ///< with has_header(type)
  ByteView payload;   ///< kImmediate: `header.payload_length` bytes
};

/// Begins a batch, which write_frame() continues.
struct MpiBatch {
  std::uint16_t version = kMpiVersion;
  std::uint64_t epoch = 0;      ///< the sender's, as in its greeting
  std::uint64_t addressee = 0;  ///< the receiver's, as in its greeting
  bool operator==(const MpiBatch&) const = default;
};

/// Whether a short message is a greeting.
bool is_greeting(ByteView message);
/// Refused: another length or magic, an unknown kind, versions in the wrong order, a limit below
/// kMpiShortBytesMin, no receive in the pool, epoch 0.
Decoded<MpiGreeting> decode_greeting(ByteView message);
void encode_greeting(const MpiGreeting& greeting, ByteSpan out);  ///< kMpiGreetingBytes

/// Reads the batch; take_frame() then takes its frames from `rest`. Refused: too few bytes,
/// another magic, version 0.
Decoded<MpiBatch> decode_batch(ByteView message, ByteView& rest);
void encode_batch(const MpiBatch& batch, ByteSpan out);  ///< kMpiBatchBytes

/// The bytes of a frame with its payload, a multiple of 8. `frame.payload` need not be set.
std::size_t frame_bytes(const MpiFrame& frame);
/// Takes a frame from the front of `rest`, which must not be empty. The frame's payload is a part
/// of `rest`. Refused: too few bytes, an unknown type, what decode_header() refuses, a payload
/// length other than the header's, a tag of 0 where one is needed.
Decoded<MpiFrame> take_frame(ByteView& rest);
/// Writes frame_bytes(frame) bytes. Returns those of the payload, which the caller has to write if
/// `frame.payload` is not set.
ByteSpan encode_frame(const MpiFrame& frame, ByteSpan out);

}  // namespace ulnet::wire
