// What the driver counts: connections, messages of its own protocol, refusals and drops, each by
// its reason, and the system calls of the reactors that come with messages.
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
  // accepted connections that this node closed before it answered their hello
  kRefusedUnprivileged,
  kRefusedIpv6User,
  kRefusedCrowded,
  kRefusedFull,         ///< accept_open
  kRefusedAddressFull,  ///< accept_open_per_address
  kRefusedAddress,      ///< peer_address_check
  kRefusedNoDescriptor,
  kRefusedNoMemory,  ///< the process is short of memory
  kRefusedBadRequest,
  kRefusedNotMyNid,
  kRefusedBadHello,
  kRefusedSilent,
  kRefusedHungUp,
  // hellos that this node answered with a refusal
  kRefusedVersion,
  kRefusedRace,
  kRefusedDuplicate,
  kRefusedStale,
  // dials that did not lead to an open connection
  kDialFailed,
  kDialRefused,
  kDialOtherVersion,
  kDialWrongPeer,
  kDialBadHello,
  // why open connections were closed
  kClosedByPeer,
  kClosedMidMessage,
  kClosedSilent,
  kClosedNoProgress,
  kClosedNoAck,
  kClosedBadFrame,
  kClosedBadHeader,
  kClosedBadChecksum,
  kClosedBadCookie,
  kClosedRejected,
  kClosedRestarted,
  kEvicted,  ///< an idle peer was disconnected in favour of another
  // peers:
  kPeersUp,    ///< the first connection of a peer was opened
  kPeersDown,  ///< the last connection of a peer was closed
  /// Another incarnation of the peer sent a hello, from an address that the peer's connections do
  /// not have.
  kTakenOver,
  /// The same, but from the NID's own address, while the peer's connections have another one.
  kTakeOverEnded,
  kIdentityConflicts,  ///< kTakenOver and kTakeOverEnded together
  kAddressDiffers,     ///< a peer connects from another address than its NID has
  // messages
  kAcksSent,
  kAcksReceived,
  kKeepalivesSent,
  kKeepalivesReceived,
  kHeldLost,
  kHoldPaused,
  kHoldShort,  ///< those of kHoldPaused that the node had no memory for
  kSendsFailed,
  kSendsCancelled,
  // bytes of payload that were copied from memory to memory; copies that the kernel makes are not
  // counted
  kCopiedIn,  ///< from the read buffer, by the driver or for it by the shard's host; what the shard
              ///< drops at once counts as well
  kCopiedOut,  ///< behind headers, so that one vector has both
  // system calls of the reactors
  kCallsReceive,       ///< a receive that found bytes, or the end of the connection
  kCallsReceiveEmpty,  ///< a receive that found nothing
  kCallsSend,
  kCallsWait,  ///< the thread asked epoll, whether it slept or not
  kCallsWake,  ///< another thread woke a reactor's thread that slept
  kCounts_
};

inline constexpr std::size_t kCountKinds = static_cast<std::size_t>(Count::kCounts_);
const char* to_string(Count count);

class Counters {
 public:
  void add(Count count, std::uint64_t by = 1) { values_[static_cast<std::size_t>(count)] += by; }
  std::uint64_t of(Count count) const { return values_[static_cast<std::size_t>(count)]; }

 private:
  std::array<std::uint64_t, kCountKinds> values_{};
};

}  // namespace ulnet::lnd::sock
