#include "lnet/wire/ksock_frame.h"

namespace ulnet::wire {
namespace {

constexpr std::size_t kChecksumAt = 4;
constexpr std::array<std::byte, 4> kNoChecksum{};

// Adds the framing header as transmitted, but with zero for its checksum field.
void add_frame(Crc32& crc, ByteView frame_bytes) {
  ULNET_ASSERT(frame_bytes.size() >= kFrameBytes);
  crc.update(frame_bytes.first(kChecksumAt));
  crc.update(kNoChecksum);
  crc.update(frame_bytes.first(kFrameBytes).subspan(kChecksumAt + kNoChecksum.size()));
}

}  // namespace

Crc32 begin_checksum(std::uint32_t version, ByteView frame_bytes, ByteView header_bytes) {
  Crc32 crc;
  if (version > 2) return crc;
  add_frame(crc, frame_bytes);
  crc.update(header_bytes);
  return crc;
}

std::uint32_t noop_checksum(std::uint32_t version, ByteView frame_bytes) {
  return begin_checksum(version, frame_bytes, {}).value();
}

}  // namespace ulnet::wire
