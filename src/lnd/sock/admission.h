// Whom the acceptor believes: from the policy and a connection's source port to who the peer is.
// Source: spec/wire-socklnd.md 2.1, 2.2; DESIGN.md 5 (trust).
#pragma once

#include "core/ports.h"
#include "lnd/sock/address.h"
#include "lnd/sock/tunables.h"

namespace ulnet::lnd::sock {

enum class Admission : std::uint8_t {
  kRefuse,   ///< close without reading or sending anything
  kBelieve,  ///< the peer is who its hello says
  kUser,     ///< the peer is what its socket says: user_identity()
};

/// Judged when a connection was accepted, before anything was read. An IPv6 peer has no user
/// identity (2.2): it is refused where it would need one.
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

/// What an unprivileged peer is recorded as, and what its headers' source is overwritten with.
inline core::Hop user_identity(NetId net, const Endpoint& remote) {
  return {nid_at(net, remote.address), Pid::user(remote.port)};
}

}  // namespace ulnet::lnd::sock
