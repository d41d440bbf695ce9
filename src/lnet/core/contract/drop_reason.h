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
  // dropped by a fault rule: received, and outgoing
  kFaultRule,
  kFaultRuleSent,
  // No message was dropped: this node refused the ping info of a peer, from a push or from the
  // answer to a ping, or a part of it (spec/multirail.md 4.4, 4.6).
  kInfoUnreadable,
  kInfoCut,
  kInfoEndless,
  kInfoOld,
  kInfoOfAnother,
  kInfoOwnNids,
  kInfoTakenNids,
  kInfoUnwanted,
  kInfoOverMaxPeers,
  // No message was dropped: a peer was forgotten.
  kPeerIdle,
  kPeerEvicted,
  kCount,
};
inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::kCount);
/// Whether a message was dropped; else ping info was refused, or a peer was forgotten.
constexpr bool drops_a_message(DropReason reason) { return reason < DropReason::kInfoUnreadable; }
/// The text in the log and in the list of counters.
const char* to_string(DropReason reason);

}  // namespace ulnet::core
