// Maps the failure of a socket to a Health: the fault of the local side, the peer or the network.
// Source: DESIGN.md 2, spec/multirail.md 5.2.
#pragma once

#include <cerrno>

#include "lnet/core/contract/ports.h"

namespace ulnet::lnd::sock {

/// Why something ended.
struct Failure {
  int status = 0;                           ///< 0 or a negative errno
  core::Health health = core::Health::kOk;  ///< which side was at fault
  const char* reason = "";                  ///< in words: static text, a sentence fragment
  bool closed = false;                      ///< nothing failed: one side closed on purpose
  /// This host lacks a resource, which says nothing about the open connections.
  bool shortage = false;
  /// The link of this node's NI is down, so the peer hears nothing until the link is up again.
  bool link_down = false;
};

/// The failure of a dial with `error`, a positive errno.
constexpr Failure dial_failure(int error) {
  using core::Health;
  switch (error) {
    case EACCES:
    case EPERM:
      return {-error, Health::kLocalError, "no source port below 1024 is permitted"};
    case EADDRNOTAVAIL:
      return {-error, Health::kLocalError, "no local port or address is free"};
    case EADDRINUSE:
      return {-error, Health::kLocalError, "no local port or address is free", false, true};
    case EMFILE:
    case ENFILE:
      return {-error, Health::kLocalError, "no descriptor is free", false, true};
    case ENOBUFS:
    case ENOMEM:
      return {-error, Health::kLocalError, "the system has no memory for it", false, true};
    case ENETDOWN:
      return {-error, Health::kLocalError, "the link is down"};
    case ENETUNREACH:
      return {-error, Health::kLocalNoRoute, "there is no route to its network"};
    case EHOSTUNREACH:
      return {-error, Health::kRemoteDropped, "its host is unreachable"};
    case ECONNREFUSED:
      return {-error, Health::kRemoteDropped, "it refused the connection"};
    case EPIPE:  // it depends on timing whether the system says EPIPE or ECONNRESET
      error = ECONNRESET;
      [[fallthrough]];
    case ECONNRESET:
      return {-error, Health::kRemoteDropped, "it closed the connection before its hello"};
    case ETIMEDOUT:
      return {-error, Health::kNetworkTimeout, "connecting took too long"};
    case EPROTO:
      return {-error, Health::kRemoteError, "its hello is not acceptable"};
    default:
      return {-error, Health::kLocalError, "the connection could not be made"};
  }
}

inline constexpr Failure kShutDown{-ESHUTDOWN, core::Health::kLocalAborted,
                                   "the interface was shut down"};
inline constexpr Failure kLinkDown{
    -ENETDOWN, core::Health::kLocalDropped, "the link is down", false, false, true};
inline constexpr Failure kWaitedTooLong{-ETIMEDOUT, core::Health::kNetworkTimeout,
                                        "it waited too long for a connection"};
inline constexpr Failure kNoProgress{-ETIMEDOUT, core::Health::kNetworkTimeout,
                                     "the connection made no progress"};
inline constexpr Failure kAckMissing{-ETIMEDOUT, core::Health::kRemoteTimeout,
                                     "a zero-copy acknowledgement is missing"};
inline constexpr Failure kProtocolError{-EPROTO, core::Health::kRemoteError,
                                        "it broke the protocol"};
inline constexpr Failure kPeerRestarted{-ESTALE, core::Health::kRemoteDropped, "it restarted"};
inline constexpr Failure kPeerClosed{-ECONNRESET, core::Health::kRemoteDropped,
                                     "it closed the connection", true};
inline constexpr Failure kEvictedForPeer{-ECONNRESET, core::Health::kLocalDropped,
                                         "this node closed the idle connection for another peer's",
                                         true};
inline constexpr Failure kConnectionFailed{-ECONNRESET, core::Health::kRemoteDropped,
                                           "the connection failed"};
inline constexpr Failure kWrongChecksum{-EIO, core::Health::kRemoteError, "a checksum is wrong"};
inline constexpr Failure kInBackOff{-EIO, core::Health::kRemoteDropped,
                                    "it was unreachable a moment ago"};

inline constexpr Failure kTooLargeNid{-EAFNOSUPPORT, core::Health::kLocalError,
                                      "its connection cannot carry a large NID"};

/// How a message fails when its connection ends by `cause`. If some of its bytes were written
/// (`begun`), nobody knows how many arrived, and the fault is the network's rather than the peer's.
/// Otherwise the message never left: the core may send it by another way, even after a time-out,
/// because the time-out concerned the messages before it.
constexpr Failure message_failure(const Failure& cause, bool begun) {
  using core::Health;
  Failure failure = cause;
  if (begun && cause.health == Health::kRemoteDropped) failure.health = Health::kNetworkTimeout;
  if (begun && cause.link_down) failure.health = Health::kLocalError;
  const bool timed_out =
      cause.health == Health::kNetworkTimeout || cause.health == Health::kRemoteTimeout;
  if (!begun && timed_out) failure.health = Health::kRemoteDropped;
  return failure;
}

}  // namespace ulnet::lnd::sock
