// What the connection machines know of an NI of ours.
#pragma once

#include "base/time.h"
#include "core/ports.h"
#include "lnd/sock/address.h"

namespace ulnet::lnd::sock {

struct NiInfo {
  core::NiId id;
  Nid nid;
  Pid pid = Pid::lustre();
  Address address;
  std::uint64_t incarnation = 0;    ///< one value for the NI's life (spec/wire-socklnd.md 8)
  std::int32_t conns_per_peer = 1;  ///< C, resolved
  std::int32_t tos = -1;
  Duration timeout{};  ///< LND time-out, resolved
};

}  // namespace ulnet::lnd::sock
