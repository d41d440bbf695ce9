#include "core/path/push.h"

#include <algorithm>

namespace ulnet::core {

PushReading read_push(int status, std::uint32_t rlength, ByteView landed, const Globals& globals) {
  PushReading reading;
  if (globals.discovery == 0) return reading;
  reading.verdict = PushVerdict::kPing;
  if (status != 0) return reading;
  const auto info =
      wire::decode_ping_info(landed, static_cast<std::uint32_t>(globals.max_interfaces));
  if (!info) {
    if (info.error().why == wire::DecodeError::kTruncated && rlength > landed.size())
      reading.needed = std::min<std::size_t>(info.error().needed, limits::kMtu);
    return reading;
  }
  if (rlength > landed.size() || !info->has(wire::kPingMultiRail)) return reading;
  reading.verdict =
      info->has(wire::kPingDiscovery) ? PushVerdict::kLearn : PushVerdict::kNoDiscovery;
  reading.info = *info;
  return reading;
}

PushReading read_ping(ByteView answer, const Globals& globals) {
  PushReading reading;
  const auto info =
      wire::decode_ping_info(answer, static_cast<std::uint32_t>(globals.max_interfaces));
  if (!info) {
    if (info.error().why == wire::DecodeError::kTruncated)
      reading.needed = std::min<std::size_t>(info.error().needed, limits::kMtu);
    return reading;
  }
  const bool both = info->has(wire::kPingMultiRail) && info->has(wire::kPingDiscovery);
  reading.verdict =
      both && globals.discovery != 0 ? PushVerdict::kLearn : PushVerdict::kNoDiscovery;
  reading.info = *info;
  return reading;
}

}  // namespace ulnet::core
