#include "lnet/lnd/sock/engine/counters.h"

namespace ulnet::lnd::sock {
namespace {

struct Named {
  Count count;
  const char* name;
};

/// In the order of the enumerators.
constexpr std::array kNames{
    Named{Count::kAccepted, "accepted"},
    Named{Count::kDialled, "dialled"},
    Named{Count::kOpened, "opened"},
    Named{Count::kClosed, "closed"},
    Named{Count::kRefusedUnprivileged, "refused_unprivileged"},
    Named{Count::kRefusedIpv6User, "refused_ipv6_user"},
    Named{Count::kRefusedCrowded, "refused_crowded"},
    Named{Count::kRefusedFull, "refused_full"},
    Named{Count::kRefusedAddressFull, "refused_address_full"},
    Named{Count::kRefusedAddress, "refused_address"},
    Named{Count::kRefusedNoDescriptor, "refused_no_descriptor"},
    Named{Count::kRefusedNoMemory, "refused_no_memory"},
    Named{Count::kRefusedBadRequest, "refused_bad_request"},
    Named{Count::kRefusedNotMyNid, "refused_not_my_nid"},
    Named{Count::kRefusedBadHello, "refused_bad_hello"},
    Named{Count::kRefusedSilent, "refused_silent"},
    Named{Count::kRefusedHungUp, "refused_hung_up"},
    Named{Count::kRefusedVersion, "refused_version"},
    Named{Count::kRefusedRace, "refused_race"},
    Named{Count::kRefusedDuplicate, "refused_duplicate"},
    Named{Count::kRefusedStale, "refused_stale"},
    Named{Count::kDialFailed, "dial_failed"},
    Named{Count::kDialRefused, "dial_refused"},
    Named{Count::kDialOtherVersion, "dial_other_version"},
    Named{Count::kDialWrongPeer, "dial_wrong_peer"},
    Named{Count::kDialBadHello, "dial_bad_hello"},
    Named{Count::kClosedByPeer, "closed_by_peer"},
    Named{Count::kClosedMidMessage, "closed_mid_message"},
    Named{Count::kClosedSilent, "closed_silent"},
    Named{Count::kClosedNoProgress, "closed_no_progress"},
    Named{Count::kClosedNoAck, "closed_no_ack"},
    Named{Count::kClosedBadFrame, "closed_bad_frame"},
    Named{Count::kClosedBadHeader, "closed_bad_header"},
    Named{Count::kClosedBadChecksum, "closed_bad_checksum"},
    Named{Count::kClosedBadCookie, "closed_bad_cookie"},
    Named{Count::kClosedRejected, "closed_rejected"},
    Named{Count::kClosedRestarted, "closed_restarted"},
    Named{Count::kEvicted, "evicted"},
    Named{Count::kPeersUp, "peers_up"},
    Named{Count::kPeersDown, "peers_down"},
    Named{Count::kTakenOver, "taken_over"},
    Named{Count::kTakeOverEnded, "take_over_ended"},
    Named{Count::kIdentityConflicts, "identity_conflicts"},
    Named{Count::kAddressDiffers, "address_differs"},
    Named{Count::kAcksSent, "acks_sent"},
    Named{Count::kAcksReceived, "acks_received"},
    Named{Count::kKeepalivesSent, "keepalives_sent"},
    Named{Count::kKeepalivesReceived, "keepalives_received"},
    Named{Count::kHeldLost, "held_lost"},
    Named{Count::kHoldPaused, "hold_paused"},
    Named{Count::kHoldShort, "hold_short"},
    Named{Count::kSendsFailed, "sends_failed"},
    Named{Count::kSendsCancelled, "sends_cancelled"},
    Named{Count::kCopiedIn, "payload_bytes_copied_in"},
    Named{Count::kCopiedOut, "payload_bytes_copied_out"},
    Named{Count::kCallsReceive, "calls_receive"},
    Named{Count::kCallsReceiveEmpty, "calls_receive_empty"},
    Named{Count::kCallsSend, "calls_send"},
    Named{Count::kCallsWait, "calls_wait"},
    Named{Count::kCallsWake, "calls_wake"},
};

constexpr bool names_all() {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i].count != static_cast<Count>(i)) return false;
  return kNames.size() == kCountKinds;
}
static_assert(names_all());

}  // namespace

const char* to_string(Count count) {
  const auto index = static_cast<std::size_t>(count);
  return index < kNames.size() ? kNames[index].name : "?";
}

}  // namespace ulnet::lnd::sock
