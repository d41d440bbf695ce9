// The tunables that an NI of a tcp net may have for itself, with lnetctl's texts. Data only:
// programs without the driver use them too, through lnet/catalog/known_drivers.h.
// Source: spec/cli-lnetctl.md 3.2, 3.5.
#pragma once

#include <array>

#include "lnet/config/ni_values.h"

namespace ulnet::lnd::sock {

/// Bulk connections to a peer in each direction; 0: by link speed.
inline constexpr conf::LndTunable kConnsPerPeer{
    "conns_per_peer", {0, 127, "invalid conns-per-peer value (valid range 0-127)"}, 0, true, true};
/// IP type of service; -1: the system's.
inline constexpr conf::LndTunable kTos{"tos", {-1, 255, "Invalid ToS argument"}, -1};

/// In the order in which they are shown.
inline constexpr std::array kNiTunables{kConnsPerPeer, kTos};

}  // namespace ulnet::lnd::sock
