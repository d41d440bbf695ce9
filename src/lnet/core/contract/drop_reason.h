// Why a message was dropped or refused. Each reason has a text and a counter. Source:
// spec/core-semantics.md 6.3, 6.4, 7, 8, 11, 15.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ulnet::core {

enum class DropReason : std::uint8_t {
  // refused by Reject: the driver closes the connection
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
  kCameBack,
  kAnswersWait,
  kTooManyPeers,
  kPortalRange,
  kNoMatch,
  kTooLong,
  kLazyCleared,
  kNiRemoved,
  kHeldLost,
  kOldIncarnation,
  kAckNoMd,
  kAckUnexpected,
  kReplyNoMd,
  kReplyUnexpected,
  kReplyTooLong,
  kShutdown,
  // outgoing, dropped before it was sent
  kQueuedTooLong,
  kNotForwarded,
  // received, and dropped by a fault rule; and outgoing
  kFaultRule,
  kFaultRuleSent,
  // No message was dropped: what a peer says of itself, in a push or in the answer to a ping, came,
  // and is not believed, or not wholly (spec/multirail.md 4.4, 4.6).
  kInfoUnreadable,
  kInfoCut,
  kInfoEndless,
  kInfoOld,
  kInfoOfAnother,
  kInfoOwnNids,
  kInfoTakenNids,
  kInfoUnwanted,
  kInfoNoRoom,
  // No message was dropped: a peer was forgotten.
  kPeerIdle,
  kPeerEvicted,
  kCount,
};
inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::kCount);
/// Whether a message was dropped; else what it said was refused, or a peer was forgotten.
constexpr bool drops_a_message(DropReason reason) { return reason < DropReason::kInfoUnreadable; }
/// A few words for the log and for the list of counters.
const char* to_string(DropReason reason);

}  // namespace ulnet::core
