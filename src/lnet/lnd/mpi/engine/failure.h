// Why a message or a process came to its end, as the core learns it. Source: spec/multirail.md 5.2.
#pragma once

#include <cerrno>

#include "lnet/core/contract/ports.h"

namespace ulnet::lnd::mpi {

struct Failure {
  int status = 0;                           ///< 0 or a negative errno
  core::Health health = core::Health::kOk;  ///< which side was at fault
};

inline constexpr Failure kShutDown{-ESHUTDOWN, core::Health::kLocalAborted};
/// No process has this NID and PID.
inline constexpr Failure kNobody{-EHOSTUNREACH, core::Health::kRemoteDropped};
inline constexpr Failure kCancelled{-ECANCELED, core::Health::kLocalDropped};
inline constexpr Failure kWaitedTooLong{-ETIMEDOUT, core::Health::kNetworkTimeout};
/// The peer does not answer, also when it is asked.
inline constexpr Failure kDead{-ETIMEDOUT, core::Health::kRemoteTimeout};
/// The peer has forgotten this side.
inline constexpr Failure kRestarted{-ESTALE, core::Health::kRemoteDropped};
inline constexpr Failure kOtherVersion{-EPROTO, core::Health::kRemoteError};
inline constexpr Failure kProtocolError{-EPROTO, core::Health::kRemoteError};
/// The sender gave the message up, or the target has no data for a GET.
inline constexpr Failure kGivenUp{-ECANCELED, core::Health::kRemoteDropped};
/// The message went with its peer.
inline constexpr Failure kGone{-ECONNRESET, core::Health::kRemoteDropped};

}  // namespace ulnet::lnd::mpi
