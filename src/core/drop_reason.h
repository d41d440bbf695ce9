// Why a message was dropped or refused. Every one has a text and a counter. Source:
// spec/core-semantics.md 6.3, 6.4, 7, 8, 11, 15.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ulnet::core {

enum class DropReason : std::uint8_t {
  // refused: the driver closes the connection
  kPayloadNotAllowed,
  kPayloadTooLong,
  kNotThisNi,
  kOtherNet,
  // received and dropped
  kUnknownNi,
  kRoutingOff,
  kBadSource,
  kSimulatedFailure,
  kAsymmetricRoute,
  kAnswersWait,
  kPortalRange,
  kNoMatch,
  kTooLong,
  kLazyCleared,
  kNiRemoved,
  kHeldLost,
  kOldLife,
  kAckNoMd,
  kAckUnexpected,
  kReplyNoMd,
  kReplyUnexpected,
  kReplyTooLong,
  kShutdown,
  // to be sent and dropped
  kQueuedTooLong,
  kCount,
};
inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::kCount);
/// A sentence fragment for logs and counters.
const char* to_string(DropReason reason);

}  // namespace ulnet::core
