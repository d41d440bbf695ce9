// The names of the planted bugs (base/canary.h), and the one that is active in this program.
// docs/TESTING.md says how to plant another.
#pragma once

namespace ulnet::canary {

enum class Bug : unsigned char {
  kNone,
  kCreditLeaked,
  kPeerCreditTwice,
  kAckTwice,
  kLastEventLost,
  kUnlinkedTooEarly,
  kOldIncarnationBelieved,
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
  kRemoteMdForgotten,
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
  kReturnedLost,
  kOneTryTooMany,
  kBegunSentAgain,
  kHealthUntold,
  kSecondSource,
  kStaleForever,
};
/// The bug that is active in this program.
inline Bug planted = Bug::kNone;

}  // namespace ulnet::canary
