// Reads the ping info of another node from a push, or from the REPLY to a ping. Source:
// spec/wire-lnet.md 5, 6.
#pragma once

#include <cstdint>

#include "lnet/base/bytes.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

enum class PushVerdict : std::uint8_t {
  kIgnore,       ///< a REPLY could not be read
  kStatuses,     ///< this node has discovery off: only the push's NID statuses count
  kPing,         ///< the push cannot be used: ping the peer instead
  kNoDiscovery,  ///< the peer, or for a REPLY this node, has discovery off
  kLearn,        ///< take over the peer's NIDs
};
struct PushReading {
  PushVerdict verdict = PushVerdict::kIgnore;
  /// Bytes that the next buffer has to hold, if this one was too short; else 0.
  std::size_t needed = 0;
  wire::PingInfo info;  ///< with kStatuses, kNoDiscovery and kLearn
  /// The reason under which refused info is counted; kCount: nothing was refused.
  DropReason refused = DropReason::kCount;

  /// Whether `info` can be taken over.
  bool is_info() const {
    return verdict == PushVerdict::kLearn || verdict == PushVerdict::kNoDiscovery;
  }
};
/// Reads a push. `status` and `rlength` are those of the PUT event, `landed` the bytes that
/// fitted.
PushReading read_push(int status, std::uint32_t rlength, ByteView landed, const Globals& globals);
/// Reads the REPLY to a ping of discovery.
PushReading read_ping(ByteView answer, const Globals& globals);

}  // namespace ulnet::core
