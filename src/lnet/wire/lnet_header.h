// The LNet message header, 72 bytes with small NIDs and 96 with large ones, for the four types of
// message. Source: spec/wire-lnet.md 2.
#pragma once

#include <cstdint>
#include <variant>

#include "lnet/base/bytes.h"
#include "lnet/wire/decode_error.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

/// The form of the headers on a connection (spec/wire-socklnd.md 4.4).
enum class HeaderForm : std::uint8_t { kNid4, kNid16 };

inline constexpr std::size_t kHeaderBytesNid4 = 72;
inline constexpr std::size_t kHeaderBytesNid16 = 96;
inline constexpr std::size_t kHeaderBytesMax = kHeaderBytesNid16;
constexpr std::size_t header_bytes(HeaderForm form) {
  return form == HeaderForm::kNid4 ? kHeaderBytesNid4 : kHeaderBytesNid16;
}

enum class MsgType : std::uint32_t { kAck = 0, kPut = 1, kGet = 2, kReply = 3, kHello = 4 };
const char* to_string(MsgType type);

/// The handle of an MD on the wire. Only the node that made it interprets it (spec/wire-lnet.md
/// 2.5).
struct WireHandle {
  std::uint64_t interface_cookie = ~0ULL;  ///< one value per incarnation of an LNet instance
  std::uint64_t object_cookie = ~0ULL;

  static constexpr WireHandle none() { return {}; }
  constexpr bool is_none() const { return interface_cookie == ~0ULL && object_cookie == ~0ULL; }
  bool operator==(const WireHandle&) const = default;
};

struct AckPart {
  WireHandle dst_wmd;
  std::uint64_t match_bits = 0;
  std::uint32_t mlength = 0;  ///< bytes that the target has accepted
  bool operator==(const AckPart&) const = default;
};
struct PutPart {
  WireHandle ack_wmd;  ///< the MD for the ACK; none: no ACK is requested
  std::uint64_t match_bits = 0;
  std::uint64_t hdr_data = 0;  ///< 64 bits from the sender, never converted
  std::uint32_t portal = 0;
  std::uint32_t offset = 0;
  bool operator==(const PutPart&) const = default;
};
struct GetPart {
  WireHandle return_wmd;
  std::uint64_t match_bits = 0;
  std::uint32_t portal = 0;
  std::uint32_t src_offset = 0;
  std::uint32_t sink_length = 0;
  bool operator==(const GetPart&) const = default;
};
struct ReplyPart {
  WireHandle dst_wmd;
  bool operator==(const ReplyPart&) const = default;
};

struct LnetHeader {
  Nid dest_nid;
  Nid src_nid;
  Pid dest_pid;
  Pid src_pid;
  std::uint32_t payload_length = 0;                         ///< bytes that follow the header
  std::variant<AckPart, PutPart, GetPart, ReplyPart> part;  ///< alternatives in MsgType's order

  MsgType type() const { return static_cast<MsgType>(part.index()); }
  bool operator==(const LnetHeader&) const = default;
};

/// Reads a header; `bytes` must have at least header_bytes(form). Refused: an unknown type, an ACK
/// or GET with payload, payload above limits::kMtu (spec/wire-lnet.md 2.3), an invalid NID.
Decoded<LnetHeader> decode_header(ByteView bytes, HeaderForm form);
/// Writes exactly header_bytes(form). A large NID in the nid4 form is a programmer error.
void encode_header(const LnetHeader& header, HeaderForm form, ByteSpan out);

}  // namespace ulnet::wire
