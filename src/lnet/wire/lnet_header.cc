// This code runs for every message: fixed offsets, no loops, no allocation.
#include "lnet/wire/lnet_header.h"

#include "lnet/base/limits.h"
#include "lnet/wire/nid.h"

namespace ulnet::wire {
namespace {

// The fields behind the two NIDs (spec/wire-lnet.md 2.1, 2.2), as offsets from the end of the
// NIDs.
constexpr std::size_t kDestPid = 0;
constexpr std::size_t kSrcPid = 4;
constexpr std::size_t kType = 8;
constexpr std::size_t kPayloadLength = 12;
constexpr std::size_t kPart = 16;
constexpr std::size_t kPartBytes = 40;

static_assert(2 * kNid4Bytes + kPart + kPartBytes == kHeaderBytesNid4);
static_assert(2 * kNid16Bytes + kPart + kPartBytes == kHeaderBytesNid16);
static_assert(std::variant_size_v<decltype(LnetHeader::part)> == 4);

// The first 8 bytes of a small NID are its legacy value in network byte order. "Any" is all ones
// in both forms (spec/wire-lnet.md 1.3).
std::uint64_t network_order(std::uint64_t value) {
  return std::endian::native == std::endian::little ? swap_bytes(value) : value;
}

bool load_nid4(const std::byte* from, Nid& to) {
  const auto nid4 = load_le<std::uint64_t>(from);
  if (nid4 >> 48 >= 0xff) [[unlikely]] {
    const std::optional<Nid> nid = nid_from_legacy(nid4);
    if (nid) to = *nid;
    return nid.has_value();
  }
  const std::uint64_t head = network_order(nid4);
  std::memcpy(&to.size, &head, sizeof head);
  std::memset(to.addr.data() + 4, 0, to.addr.size() - 4);
  return true;
}
bool load_nid16(const std::byte* from, Nid& to) {
  std::memcpy(&to.size, from, kNid16Bytes);
  if (to.size == kNidSizeMax && !to.is_any()) [[likely]]
    return true;
  const std::optional<Nid> nid =
      nid_from_raw(std::bit_cast<std::array<std::uint8_t, kNid16Bytes>>(to));
  if (nid) to = *nid;
  return nid.has_value();
}
void store_nid4(std::byte* to, const Nid& nid) {
  ULNET_ASSERT(fits_legacy(nid));
  std::uint64_t head;
  std::memcpy(&head, &nid.size, sizeof head);
  store_le(to, network_order(head));
}

// Handles are copied and never converted, so a node gets its own 16 bytes back (spec/wire-lnet.md
// 2.5).
WireHandle load_handle(const std::byte* from) {
  return {load_le<std::uint64_t>(from), load_le<std::uint64_t>(from + 8)};
}
void store_handle(std::byte* to, const WireHandle& handle) {
  store_le(to, handle.interface_cookie);
  store_le(to + 8, handle.object_cookie);
}

AckPart load_ack(const std::byte* p) {
  return {load_handle(p), load_le<std::uint64_t>(p + 16), load_le<std::uint32_t>(p + 24)};
}
PutPart load_put(const std::byte* p) {
  return {load_handle(p), load_le<std::uint64_t>(p + 16), load_le<std::uint64_t>(p + 24),
          load_le<std::uint32_t>(p + 32), load_le<std::uint32_t>(p + 36)};
}
GetPart load_get(const std::byte* p) {
  return {load_handle(p), load_le<std::uint64_t>(p + 16), load_le<std::uint32_t>(p + 24),
          load_le<std::uint32_t>(p + 28), load_le<std::uint32_t>(p + 32)};
}

void store(std::byte* p, const AckPart& part) {
  store_handle(p, part.dst_wmd);
  store_le(p + 16, part.match_bits);
  store_le(p + 24, part.mlength);
  std::memset(p + 28, 0, kPartBytes - 28);
}
void store(std::byte* p, const PutPart& part) {
  store_handle(p, part.ack_wmd);
  store_le(p + 16, part.match_bits);
  store_le(p + 24, part.hdr_data);
  store_le(p + 32, part.portal);
  store_le(p + 36, part.offset);
}
void store(std::byte* p, const GetPart& part) {
  store_handle(p, part.return_wmd);
  store_le(p + 16, part.match_bits);
  store_le(p + 24, part.portal);
  store_le(p + 28, part.src_offset);
  store_le(p + 32, part.sink_length);
  std::memset(p + 36, 0, kPartBytes - 36);
}
void store(std::byte* p, const ReplyPart& part) {
  store_handle(p, part.dst_wmd);
  std::memset(p + 16, 0, kPartBytes - 16);
}

// Checks the message type and its payload length (spec/wire-lnet.md 2.3), then reads its part.
std::optional<DecodeError> load_rest(const std::byte* p, LnetHeader& header) {
  header.dest_pid = Pid{load_le<std::uint32_t>(p + kDestPid)};
  header.src_pid = Pid{load_le<std::uint32_t>(p + kSrcPid)};
  header.payload_length = load_le<std::uint32_t>(p + kPayloadLength);
  const auto type = MsgType{load_le<std::uint32_t>(p + kType)};
  const bool carries = type == MsgType::kPut || type == MsgType::kReply;
  if (header.payload_length > (carries ? limits::kMtu : 0)) {
    if (carries) return DecodeError::kPayloadTooLong;
    if (type == MsgType::kAck || type == MsgType::kGet) return DecodeError::kPayloadNotAllowed;
  }
  switch (type) {
    case MsgType::kPut:
      header.part = load_put(p + kPart);
      return std::nullopt;
    case MsgType::kAck:
      header.part = load_ack(p + kPart);
      return std::nullopt;
    case MsgType::kGet:
      header.part = load_get(p + kPart);
      return std::nullopt;
    case MsgType::kReply:
      header.part = ReplyPart{load_handle(p + kPart)};
      return std::nullopt;
    case MsgType::kHello:
      break;  // allowed in a handshake only
  }
  return DecodeError::kBadType;
}

}  // namespace

const char* to_string(MsgType type) {
  switch (type) {
    case MsgType::kAck:
      return "ACK";
    case MsgType::kPut:
      return "PUT";
    case MsgType::kGet:
      return "GET";
    case MsgType::kReply:
      return "REPLY";
    case MsgType::kHello:
      return "HELLO";
  }
  return "unknown";
}

Decoded<LnetHeader> decode_header(ByteView bytes, HeaderForm form) {
  Decoded<LnetHeader> decoded;
  LnetHeader& header = *decoded;
  const bool legacy = form == HeaderForm::kNid4;
  const std::size_t nid_bytes = legacy ? kNid4Bytes : kNid16Bytes;
  const std::byte* dest = bytes.data();
  if (bytes.size() < header_bytes(form)) {
    decoded = refuse(DecodeError::kTruncated);
    return decoded;
  }
  const std::byte* src = dest + nid_bytes;
  const bool named = legacy ? load_nid4(dest, header.dest_nid) && load_nid4(src, header.src_nid)
                            : load_nid16(dest, header.dest_nid) && load_nid16(src, header.src_nid);
  if (!named) {
    decoded = refuse(DecodeError::kBadNid);
  } else if (const auto error = load_rest(src + nid_bytes, header)) {
    decoded = refuse(*error);
  }
  return decoded;
}

void encode_header(const LnetHeader& header, HeaderForm form, ByteSpan out) {
  ULNET_ASSERT(out.size() >= header_bytes(form));
  std::byte* p = out.data();
  if (form == HeaderForm::kNid4) {
    store_nid4(p, header.dest_nid);
    store_nid4(p + kNid4Bytes, header.src_nid);
    p += 2 * kNid4Bytes;
  } else {
    std::memcpy(p, &header.dest_nid, kNid16Bytes);
    std::memcpy(p + kNid16Bytes, &header.src_nid, kNid16Bytes);
    p += 2 * kNid16Bytes;
  }
  store_le(p + kDestPid, header.dest_pid.value);
  store_le(p + kSrcPid, header.src_pid.value);
  store_le(p + kType, static_cast<std::uint32_t>(header.part.index()));
  store_le(p + kPayloadLength, header.payload_length);
  switch (header.type()) {
    case MsgType::kAck:
      return store(p + kPart, *std::get_if<AckPart>(&header.part));
    case MsgType::kPut:
      return store(p + kPart, *std::get_if<PutPart>(&header.part));
    case MsgType::kGet:
      return store(p + kPart, *std::get_if<GetPart>(&header.part));
    case MsgType::kReply:
      return store(p + kPart, *std::get_if<ReplyPart>(&header.part));
    case MsgType::kHello:
      break;
  }
  ULNET_ASSERT(false);
}

}  // namespace ulnet::wire
