// The control door that a command line talks to.
#pragma once

#include <memory>
#include <string>

#include "ctl/door_client.h"
#include "ctl/find_socket.h"

namespace ulnet::tools {

/// The door of the node that `control` names (a socket or a name), else the environment's
/// ULNET_CONTROL, else of the only one that answers.
class NodeDoor {
 public:
  explicit NodeDoor(std::string control) : control_(std::move(control)) {}

  /// Connects when it is first asked. -EPERM for a change of a node that nobody named (ctl/
  /// find_socket.h). The error's reason is a sentence for the user. The door lives as long as this.
  Result<ctl::DoorClient*> open(ctl::Intent intent);

 private:
  std::string control_;
  ctl::ControlSocket socket_;
  std::unique_ptr<ctl::DoorClient> door_;
};

}  // namespace ulnet::tools
