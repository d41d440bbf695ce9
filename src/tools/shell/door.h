// The control door that a command line talks to.
#pragma once

#include <memory>
#include <string>

#include "ctl/door_client.h"

namespace ulnet::tools {

/// Connects to the node that `control` names (a socket or a name), else the environment's
/// ULNET_CONTROL, else the only one that answers. The error's reason is a sentence for the user.
Result<std::unique_ptr<ctl::DoorClient>> open_door(const std::string& control);

}  // namespace ulnet::tools
