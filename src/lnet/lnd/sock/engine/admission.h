// Which connections the acceptor accepts, and whether it believes their hello: decided by the
// setting `accept` and the source port. Source: spec/wire-socklnd.md 2.1, 2.2; DESIGN.md 5
// (trust).
#pragma once

#include "lnet/core/contract/ports.h"
#include "lnet/lnd/sock/engine/address.h"
#include "lnet/lnd/sock/engine/tunables.h"

namespace ulnet::lnd::sock {

enum class Admission : std::uint8_t {
  kRefuse,   ///< close the connection without reading or sending anything
  kBelieve,  ///< the peer is the NID and PID that its hello names
  kUser,     ///< the peer is user_identity() of its socket, whatever its hello says
};

/// Decides about a connection that was just accepted, before anything was read. An IPv6 peer has
/// no user identity (2.2), so it is refused where it would need one.
constexpr Admission admit(Accept policy, const Endpoint& remote) {
  const bool privileged = is_privileged_port(remote.port);
  switch (policy) {
    case Accept::kNone:
      return Admission::kRefuse;
    case Accept::kTrust:
      return Admission::kBelieve;
    case Accept::kSecure:
      return privileged ? Admission::kBelieve : Admission::kRefuse;
    case Accept::kAll:
      break;
  }
  if (privileged) return Admission::kBelieve;
  return remote.address.family == Family::kIpv4 ? Admission::kUser : Admission::kRefuse;
}

/// The NID and PID under which an unprivileged peer is known. They also replace the source in its
/// headers.
inline core::Hop user_identity(NetId net, const Endpoint& remote) {
  return {nid_at(net, remote.address), Pid::user(remote.port)};
}

}  // namespace ulnet::lnd::sock
