// Reads the ping info in a push or in the REPLY to a ping, and decides what the node does with it.
// Source: spec/wire-lnet.md 4.4, 4.7, 5.
#include "lnet/core/path/push.h"

#include <algorithm>

namespace ulnet::core {

PushReading read_push(int status, std::uint32_t rlength, ByteView landed, const Globals& globals) {
  PushReading reading;
  const bool off = globals.discovery == 0;
  reading.verdict = off ? PushVerdict::kIgnore : PushVerdict::kPing;
  if (status != 0) return reading;  // the driver has lost the push
  const bool cut = rlength > landed.size();
  const auto info =
      wire::decode_ping_info(landed, static_cast<std::uint32_t>(globals.max_interfaces));
  if (!info) {
    const bool too_long = info.error().why == wire::DecodeError::kTruncated && cut;
    reading.refused = too_long ? DropReason::kInfoCut : DropReason::kInfoUnreadable;
    if (too_long && !off) reading.needed = std::min<std::size_t>(info.error().needed, limits::kMtu);
    return reading;
  }
  if (cut || !info->has(wire::kPingMultiRail)) {
    reading.refused = DropReason::kInfoUnreadable;
    return reading;
  }
  reading.verdict =
      info->has(wire::kPingDiscovery) ? PushVerdict::kLearn : PushVerdict::kNoDiscovery;
  if (off) {
    reading.verdict = PushVerdict::kStatuses;
    reading.refused = DropReason::kInfoUnwanted;
  }
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
    reading.refused = DropReason::kInfoUnreadable;
    return reading;
  }
  const bool both = info->has(wire::kPingMultiRail) && info->has(wire::kPingDiscovery);
  reading.verdict =
      both && globals.discovery != 0 ? PushVerdict::kLearn : PushVerdict::kNoDiscovery;
  reading.info = *info;
  return reading;
}

}  // namespace ulnet::core
