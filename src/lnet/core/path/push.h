// Reads what another node says about itself, in a push or in the REPLY to a ping. Source:
// spec/wire-lnet.md 5, 6.
#pragma once

#include <cstdint>

#include "lnet/base/bytes.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

enum class PushVerdict : std::uint8_t {
  kIgnore,       ///< a REPLY could not be read
  kStatuses,     ///< this node has discovery off: a push says which NIDs are up or down, no more
  kPing,         ///< the push could not be used: ping the peer instead
  kNoDiscovery,  ///< the peer, or for a REPLY this node, does not do discovery
  kLearn,        ///< take over the peer's NIDs
};
struct PushReading {
  PushVerdict verdict = PushVerdict::kIgnore;
  /// Bytes that the next buffer has to hold, if this one was too short; else 0.
  std::size_t needed = 0;
  wire::PingInfo info;  ///< with kStatuses, kNoDiscovery and kLearn
  /// What cannot be used is counted under this reason; kCount: nothing is counted.
  DropReason refused = DropReason::kCount;

  /// Whether it is the info of a peer, which can be taken over.
  bool is_info() const {
    return verdict == PushVerdict::kLearn || verdict == PushVerdict::kNoDiscovery;
  }
};
/// Reads a push. `status` and `rlength` are those of the PUT event, `landed` the bytes that
/// fitted.
PushReading read_push(int status, std::uint32_t rlength, ByteView landed, const Globals& globals);
/// Reads the REPLY to a ping that this node sent by itself.
PushReading read_ping(ByteView answer, const Globals& globals);

}  // namespace ulnet::core
