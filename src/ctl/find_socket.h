// Which node a tool talks to, when several may run and nobody said. Source: DESIGN.md 5.
#pragma once

#include <string>
#include <string_view>

#include "conf/places.h"
#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// What a tool wants of the node.
enum class Intent { kShow, kChange };

struct ControlSocket {
  std::string path;
  /// Nobody named the node and it has not the default name: it is only the one that runs. What
  /// changes a node must not go there.
  bool guessed = false;
};

/// The control socket: `given` (--control), else `from_environment` (ULNET_CONTROL), else the only
/// socket in the control folders behind which somebody listens. A word without a slash is a node's
/// name. -ENOENT with a sentence that says what to do when there is none, -EEXIST when there are
/// several.
Result<ControlSocket> find_control_socket(std::string_view given, std::string_view from_environment,
                                          const conf::PlaceEnvironment& environment);

/// -EPERM, with a sentence that says what to type, for a change of a node that was only guessed.
Result<void> check_intent(const ControlSocket& socket, Intent intent);

}  // namespace ulnet::ctl
