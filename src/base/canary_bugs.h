// The names of the planted bugs, and which of them lives in this program (base/canary.h). How to
// plant another: docs/TESTING.md.
#pragma once

namespace ulnet::canary {

enum class Bug : unsigned char {
  kNone,
  kCreditLeaked,
  kPeerCreditTwice,
  kAckTwice,
  kLastEventLost,
  kUnlinkedTooEarly,
  kOldLifeBelieved,
  kLazyForgotten,
  kWakeUpLost,
  kTooLongTaken,
  kRingTooLate,
  kDropUncounted,
  kDeadlineForgotten,
  kDropEndsNothing,
  kSendEndsTwice,
  kTakenAfterShutdown,
  kOwnMdLeft,
  kAbortedStaysWithDriver,
  kRaceLostTwice,
  kWrongCookie,
  kAckForgotten,
  kOneConnectionMore,
  kTwoLivesAtOnce,
  kWritingIsProgress,
  kOldLifeAtOtherAddress,
  kAwayForgotten,
  kLandsTooEarly,
  kStagedCutShort,
  kInsertedAtTail,
  kIgnoreBitsForgotten,
  kInitiatorUntold,
  kAckBitsUntold,
  kPeerUncounted,
  kLengthUncounted,
  kTurnStands,
  kEntryLeft,
  kLastComeFirstServed,
  kNiCreditFirst,
  kFirstGoesLast,
  kExpiryNotCharged,
  kDroppedAsPut,
  kPeersUntold,
  kNotSearchedAgain,
  kSequenceStands,
  kHeldBeforeOthers,
};
/// The one that lives in this program.
inline Bug planted = Bug::kNone;

}  // namespace ulnet::canary
