// What a push means: another node told us its NIDs, unasked. Source: spec/wire-lnet.md 5, 6.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "core/ping_target.h"

namespace ulnet::core {

enum class PushVerdict : std::uint8_t {
  kIgnore,       ///< discovery is off here
  kPing,         ///< the content is no good: ask the peer itself
  kNoDiscovery,  ///< the peer does not want to be discovered
  kLearn,        ///< the peer's NIDs, as told
};
struct PushReading {
  PushVerdict verdict = PushVerdict::kIgnore;
  std::size_t needed = 0;  ///< the buffer to post next time must hold that many bytes; 0: as before
  wire::PingInfo info;     ///< with kLearn and kNoDiscovery
};
/// `status` and `rlength` are those of the PUT event, `landed` what arrived.
PushReading read_push(int status, std::uint32_t rlength, ByteView landed, const Globals& globals);
/// The same for the answer to a ping of our own, `answer` in a buffer that was large enough.
PushReading read_ping(ByteView answer, const Globals& globals);

}  // namespace ulnet::core
