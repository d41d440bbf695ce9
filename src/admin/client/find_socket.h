// Which node a tool talks to when several may run and the user named none. Source: DESIGN.md 5.
#pragma once

#include <string>
#include <string_view>

#include "admin/conf/places.h"
#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// What a tool wants to do with the node.
enum class Intent { kShow, kChange };

struct ControlSocket {
  std::string path;
  /// The user did not name the node, and it does not have the default name: it is just the only one
  /// that runs. Commands that change a node must not go there.
  bool guessed = false;
};

/// The control socket: `given` (--control), else `from_environment` (ULNET_CONTROL), else the only
/// socket in the control folders on which a daemon listens or is about to. A word without a slash
/// is a node's name. -ENOENT when no socket is found, with a sentence that says what to do; -EEXIST
/// when several are found.
Result<ControlSocket> find_control_socket(std::string_view given, std::string_view from_environment,
                                          const conf::PlaceEnvironment& environment);

/// -EPERM for a change of a node that was only guessed, with a sentence that says what to type.
Result<void> check_intent(const ControlSocket& socket, Intent intent);

}  // namespace ulnet::ctl
