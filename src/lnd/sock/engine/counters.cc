#include "lnd/sock/engine/counters.h"

namespace ulnet::lnd::sock {

const char* to_string(Count count) {
  switch (count) {
    case Count::kAccepted:
      return "accepted";
    case Count::kDialled:
      return "dialled";
    case Count::kOpened:
      return "opened";
    case Count::kClosed:
      return "closed";
    case Count::kRefusedUnprivileged:
      return "refused_unprivileged";
    case Count::kRefusedIpv6User:
      return "refused_ipv6_user";
    case Count::kRefusedCrowded:
      return "refused_crowded";
    case Count::kRefusedNoDescriptor:
      return "refused_no_descriptor";
    case Count::kRefusedBadRequest:
      return "refused_bad_request";
    case Count::kRefusedNotMyNid:
      return "refused_not_my_nid";
    case Count::kRefusedBadHello:
      return "refused_bad_hello";
    case Count::kRefusedSilent:
      return "refused_silent";
    case Count::kRefusedHungUp:
      return "refused_hung_up";
    case Count::kRefusedVersion:
      return "refused_version";
    case Count::kRefusedRace:
      return "refused_race";
    case Count::kRefusedDuplicate:
      return "refused_duplicate";
    case Count::kRefusedStale:
      return "refused_stale";
    case Count::kDialFailed:
      return "dial_failed";
    case Count::kDialRefused:
      return "dial_refused";
    case Count::kDialOtherVersion:
      return "dial_other_version";
    case Count::kDialWrongPeer:
      return "dial_wrong_peer";
    case Count::kDialBadHello:
      return "dial_bad_hello";
    case Count::kClosedByPeer:
      return "closed_by_peer";
    case Count::kClosedMidMessage:
      return "closed_mid_message";
    case Count::kClosedNoProgress:
      return "closed_no_progress";
    case Count::kClosedNoAck:
      return "closed_no_ack";
    case Count::kClosedBadFrame:
      return "closed_bad_frame";
    case Count::kClosedBadHeader:
      return "closed_bad_header";
    case Count::kClosedBadChecksum:
      return "closed_bad_checksum";
    case Count::kClosedBadCookie:
      return "closed_bad_cookie";
    case Count::kClosedRejected:
      return "closed_rejected";
    case Count::kClosedRestarted:
      return "closed_restarted";
    case Count::kPeersUp:
      return "peers_up";
    case Count::kPeersDown:
      return "peers_down";
    case Count::kTakenOver:
      return "taken_over";
    case Count::kTakeOverEnded:
      return "take_over_ended";
    case Count::kAcksSent:
      return "acks_sent";
    case Count::kAcksReceived:
      return "acks_received";
    case Count::kKeepalivesSent:
      return "keepalives_sent";
    case Count::kKeepalivesReceived:
      return "keepalives_received";
    case Count::kHeldLost:
      return "held_lost";
    case Count::kHoldPaused:
      return "hold_paused";
    case Count::kSendsFailed:
      return "sends_failed";
    case Count::kSendsCancelled:
      return "sends_cancelled";
    case Count::kCounts_:
      break;
  }
  return "?";
}

}  // namespace ulnet::lnd::sock
