// Finds the node to which a tool talks when several nodes may run and the user named none. Source:
// DESIGN.md 5.
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
  /// Whether the node was only guessed: the user did not name it and it does not have the default
  /// name, but it is the only node that runs. Commands that change a node must not go to a guessed
  /// node.
  bool guessed = false;
};

/// Finds the control socket. This is `given` (--control), else `from_environment` (ULNET_CONTROL),
/// else the only socket in the control folders on which a daemon listens or will listen soon. A
/// word without a slash is a node's name. -ENOENT: no socket is found; the reason says what to do.
/// -EEXIST: several are found.
Result<ControlSocket> find_control_socket(std::string_view given, std::string_view from_environment,
                                          const conf::PlaceEnvironment& environment);

/// Refuses a change of a node that was only guessed: -EPERM with a sentence that says what to type.
Result<void> check_intent(const ControlSocket& socket, Intent intent);

}  // namespace ulnet::ctl
