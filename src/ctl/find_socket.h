// Which node a tool talks to, when several may run and nobody said. Source: DESIGN.md 5.
#pragma once

#include <string>
#include <string_view>

#include "conf/places.h"
#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// The path of the control socket: `given` (--control), else `from_environment` (ULNET_CONTROL),
/// else the only socket in the control folders behind which somebody listens. A word without a
/// slash is a node's name. -ENOENT with a sentence that says what to do when there is none, -EEXIST
/// when there are several.
Result<std::string> find_control_socket(std::string_view given, std::string_view from_environment,
                                        const conf::PlaceEnvironment& environment);

}  // namespace ulnet::ctl
