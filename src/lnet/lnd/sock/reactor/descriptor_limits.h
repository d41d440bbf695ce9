// How many connections a driver may have, computed from the number of descriptors that its process
// may have.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lnet/lnd/sock/engine/tunables.h"

namespace ulnet::lnd::sock {

/// `descriptors`: the process's limit (RLIMIT_NOFILE). An eighth of it, but at least 32 and at most
/// 512, is for connections that this node dials, for the control API and for files, but never more
/// than half. A quarter of the rest is for connections that have not sent a hello. Returns
/// `tunables` with the limits of connections that are in force.
inline SockTunables within_descriptors(SockTunables tunables, std::uint64_t descriptors) {
  const std::uint64_t reserve =
      std::min(std::clamp<std::uint64_t>(descriptors / 8, 32, 512), descriptors / 2);
  const std::uint64_t rest = std::min<std::uint64_t>(descriptors - reserve, INT32_MAX);
  const auto number = [](std::uint64_t value) {
    return static_cast<std::int32_t>(std::max<std::uint64_t>(value, 1));
  };
  tunables.accept_pending = std::min(tunables.accept_pending, number(rest / 4));
  if (tunables.accept_open == 0) tunables.accept_open = number(rest - rest / 4);
  if (tunables.accept_open_per_address == 0)
    tunables.accept_open_per_address = number(static_cast<std::uint64_t>(tunables.accept_open) / 2);
  return tunables;
}

}  // namespace ulnet::lnd::sock
