// What every way to configure NIs (commands, YAML, requests, the node) takes and refuses, with
// lnetctl's texts. Source: spec/cli-lnetctl.md 3.
#pragma once

#include <cstdint>
#include <string_view>

#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// A number in a range, and the text that refuses another.
struct NumberRange {
  std::int64_t min = 0, max = 0;
  std::string_view out_of_range;
  bool has(std::int64_t value) const { return value >= min && value <= max; }
};
/// Bulk connections to a peer in each direction; 0: by link speed. A new NI takes -1 too, which
/// means 0.
inline constexpr NumberRange kConnsPerPeer{0, 127,
                                           "invalid conns-per-peer value (valid range 0-127)"};
inline constexpr NumberRange kConnsPerPeerOfNew{-1, kConnsPerPeer.max, kConnsPerPeer.out_of_range};
/// IP type of service; -1: left alone.
inline constexpr NumberRange kTos{-1, 255, "Invalid ToS argument"};

/// The health that `net set --health` sets: a number outside 0 to 1000 means 1000.
std::int64_t health_of(std::int64_t asked);

/// The net of a name. -ENOENT "cannot parse net"; -EINVAL "LND type not supported": a known type
/// with too large a number.
Result<NetId> parse_net_name(std::string_view name);
/// -ENODEV "setting @lo not allowed" for the loopback net.
Result<void> check_not_loopback(NetId net);
/// parse_net_name() and check_not_loopback().
Result<NetId> parse_settable_net(std::string_view name);

}  // namespace ulnet::conf
