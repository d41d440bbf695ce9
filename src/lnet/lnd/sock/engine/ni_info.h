// What the connection machines know about an NI of this node.
#pragma once

#include "lnet/base/time.h"
#include "lnet/core/contract/ports.h"
#include "lnet/lnd/sock/engine/address.h"

namespace ulnet::lnd::sock {

struct NiInfo {
  core::NiId id;
  Nid nid;
  Pid pid = Pid::lustre();
  Address address;
  /// The NI's incarnation since it started (spec/wire-socklnd.md 8).
  std::uint64_t incarnation = 0;
  std::int32_t conns_per_peer = 1;   ///< connections per bulk direction, resolved: never 0
  std::int32_t tos = -1;             ///< type of service; -1: leave alone
  Duration timeout{};                ///< the LND time-out, resolved: never 0
  Instant link_down_since = kNever;  ///< kNever: the link is up (Engine::link_changed())

  bool link_up() const { return link_down_since == kNever; }
};

}  // namespace ulnet::lnd::sock
