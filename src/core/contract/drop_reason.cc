#include "core/contract/drop_reason.h"

namespace ulnet::core {

const char* to_string(DropReason reason) {
  switch (reason) {
    case DropReason::kPayloadNotAllowed:
      return "ACK or GET with payload";
    case DropReason::kPayloadTooLong:
      return "payload longer than 1 MiB";
    case DropReason::kNotThisNi:
      return "addressed to another NID of the receiving net";
    case DropReason::kOtherNet:
      return "addressed to our NID on another net";
    case DropReason::kUnknownNi:
      return "NI not (or no longer) configured";
    case DropReason::kRoutingOff:
      return "to be routed, but routing is off";
    case DropReason::kBadSource:
      return "source NID that no peer can have";
    case DropReason::kSimulatedFailure:
      return "simulated failure";
    case DropReason::kAsymmetricRoute:
      return "asymmetric route";
    case DropReason::kAnswersWait:
      return "too many answers wait for its sender already";
    case DropReason::kPortalRange:
      return "no such portal";
    case DropReason::kNoMatch:
      return "no matching buffer";
    case DropReason::kTooLong:
      return "longer than the matching buffer";
    case DropReason::kLazyCleared:
      return "portal no longer lazy";
    case DropReason::kNiRemoved:
      return "NI removed";
    case DropReason::kHeldLost:
      return "connection lost while the message waited";
    case DropReason::kOldIncarnation:
      return "answer to an earlier life of this node";
    case DropReason::kAckNoMd:
      return "ACK for an unknown or inactive MD";
    case DropReason::kAckUnexpected:
      return "ACK that nobody waits for";
    case DropReason::kReplyNoMd:
      return "REPLY for an unknown or inactive MD";
    case DropReason::kReplyUnexpected:
      return "REPLY that nobody waits for";
    case DropReason::kReplyTooLong:
      return "REPLY longer than its MD";
    case DropReason::kShutdown:
      return "shutting down";
    case DropReason::kQueuedTooLong:
      return "waited for credits past its deadline";
    case DropReason::kFaultRule:
      return "fault rule";
    case DropReason::kFaultRuleSent:
      return "fault rule, on its way out";
    case DropReason::kCount:
      break;
  }
  return "unknown";
}

}  // namespace ulnet::core
