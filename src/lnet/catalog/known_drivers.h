// The drivers that this version of ulnet knows, and the tunables that an NI of each may have for
// itself. YAML, requests and commands read them here, also in programs that have no driver, so a
// driver that only some programs have stands here too. To add a driver, add its row in
// known_drivers.cc; node/runtime/drivers.h lists the drivers that a node has.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lnet/config/model.h"
#include "lnet/config/ni_values.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::lnd {

struct KnownDriver {
  NetType nets = NetType::kAny;                   ///< the type of its nets
  std::span<const conf::LndTunable> ni_tunables;  ///< in the order in which they are shown
};
std::span<const KnownDriver> known_drivers();

/// The tunables of an NI of such a net; none, if no driver has such nets.
std::span<const conf::LndTunable> ni_tunables(NetType nets);
/// The tunables of all drivers, each name once. Drivers that have a tunable of the same name agree
/// in all of it but its default.
std::span<const conf::LndTunable> all_ni_tunables();

/// The tunables that a text or a request may name for an NI of `net`: those of its driver. If no
/// driver has such nets, because the node refuses the net, or if the net is not known yet: those
/// of all drivers.
std::span<const conf::LndTunable> tunables_to_name(std::optional<NetId> net);
/// The one of tunables_to_name() with this name; null: unknown name.
const conf::LndTunable* find_ni_tunable(std::optional<NetId> net, std::string_view name);
/// Why an NI of `net` cannot have a value for `name`, which find_ni_tunable() does not find. Names
/// the net if another driver has such a tunable.
std::string lacks_tunable(std::optional<NetId> net, std::string_view name);
/// Checks names and numbers. -EINVAL: find_ni_tunable() does not find the name; a number out of its
/// range, with lnetctl's text.
Result<void> check_ni_tunables(std::optional<NetId> net, const conf::LndTunables& tunables);

}  // namespace ulnet::lnd
