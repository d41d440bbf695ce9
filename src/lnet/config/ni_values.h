// The checks of NI settings that commands, YAML, requests and the node share, with lnetctl's texts.
// Source: spec/cli-lnetctl.md 3.
#pragma once

#include <cstdint>
#include <string_view>

#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// The range of a number, and the error text for a number out of it.
struct NumberRange {
  std::int64_t min = 0, max = 0;
  std::string_view out_of_range;
  bool has(std::int64_t value) const { return value >= min && value <= max; }
};

/// A driver's tunable that can be set for each NI. Each driver has its rows in its folder, and
/// lnet/catalog/known_drivers.h finds them by the type of the net.
struct LndTunable {
  std::string_view name;  ///< in YAML, requests and lnd::NiOptions
  NumberRange range;
  std::int32_t initial = 0;      ///< its value after a configuration no longer sets it
  bool while_running = false;    ///< it can be changed while the NI runs
  bool takes_minus_one = false;  ///< users may write -1 for "not given", which is not in `range`
  /// The range that commands and files accept for a new NI.
  constexpr NumberRange written() const {
    return {takes_minus_one ? -1 : range.min, range.max, range.out_of_range};
  }
};

/// Why the CPU partitions of an NI that exists are not changed.
inline constexpr std::string_view kCptIsFixed =
    "the CPTs of an NI are fixed while it exists, because its peers belong to them: delete it and "
    "add it again with --cpt";

/// The health that `net set --health` sets: for a number outside 0 to 1000 it is 1000.
std::int64_t health_of(std::int64_t asked);

/// The net of a name. -ENOENT "cannot parse net"; -EINVAL "LND type not supported": a known type
/// with too large a number.
Result<NetId> parse_net_name(std::string_view name);
/// Refuses the loopback net with -ENODEV "setting @lo not allowed".
Result<void> check_not_loopback(NetId net);
/// parse_net_name(), then check_not_loopback().
Result<NetId> parse_settable_net(std::string_view name);

}  // namespace ulnet::conf
