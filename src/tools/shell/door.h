// The connection of a command line to the control door of a node.
#pragma once

#include <memory>
#include <string>

#include "ctl/door_client.h"
#include "ctl/find_socket.h"

namespace ulnet::tools {

/// The door of the node that `control` names (a socket or a name); when it is empty, of the one
/// that ULNET_CONTROL names; else of the only node that answers.
class NodeDoor {
 public:
  explicit NodeDoor(std::string control) : control_(std::move(control)) {}

  /// Connects on the first call. -EPERM for a change when no node was named (ctl/find_socket.h).
  /// The error's reason is a sentence for the user. The result is valid as long as this object.
  Result<ctl::DoorClient*> open(ctl::Intent intent);

 private:
  std::string control_;
  ctl::ControlSocket socket_;
  std::unique_ptr<ctl::DoorClient> door_;
};

}  // namespace ulnet::tools
