// What the driver counts: connections, messages of its own protocol, and every refusal and drop by
// its reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ulnet::lnd::sock {

enum class Count : std::uint8_t {
  kAccepted,
  kDialled,
  kOpened,
  kClosed,
  // refused before a hello was answered
  kRefusedUnprivileged,
  kRefusedIpv6User,
  kRefusedCrowded,
  kRefusedNoDescriptor,
  kRefusedBadRequest,
  kRefusedNotMyNid,
  kRefusedBadHello,
  kRefusedSilent,
  kRefusedHungUp,
  // answered with a refusal
  kRefusedVersion,
  kRefusedRace,
  kRefusedDuplicate,
  kRefusedStale,
  // dials that came to nothing
  kDialFailed,
  kDialRefused,
  kDialOtherVersion,
  kDialWrongPeer,
  kDialBadHello,
  // what closed connections
  kClosedByPeer,
  kClosedMidMessage,
  kClosedNoProgress,
  kClosedNoAck,
  kClosedBadFrame,
  kClosedBadHeader,
  kClosedBadChecksum,
  kClosedBadCookie,
  kClosedRejected,
  kClosedRestarted,
  // peers
  kPeersUp,        ///< the first connection is there
  kPeersDown,      ///< the last one is gone
  kTakenOver,      ///< another life said hello from another address than its connections have
  kTakeOverEnded,  ///< ... and that of the NID's own address came back
  // messages
  kAcksSent,
  kAcksReceived,
  kKeepalivesSent,
  kKeepalivesReceived,
  kHeldLost,
  kHoldPaused,
  kSendsFailed,
  kSendsCancelled,
  kCounts_
};

inline constexpr std::size_t kCountKinds = static_cast<std::size_t>(Count::kCounts_);
const char* to_string(Count count);

class Counters {
 public:
  void add(Count count) { ++values_[static_cast<std::size_t>(count)]; }
  std::uint64_t of(Count count) const { return values_[static_cast<std::size_t>(count)]; }

 private:
  std::array<std::uint64_t, kCountKinds> values_{};
};

}  // namespace ulnet::lnd::sock
