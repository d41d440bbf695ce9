// A node and a console in this process: no daemon, no configuration. Source: DESIGN.md 5.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tools/ulst/console_door.h"

namespace ulnet::tools::lst {

struct StandaloneOptions {
  std::string networks;  ///< "tcp(eth0)"
  std::map<std::string, std::string> params;
};

/// Starts the node. The error's reason is a sentence for the user. When the console goes its
/// session ends everywhere.
Result<std::unique_ptr<ConsoleDoor>> standalone_console(const StandaloneOptions& options);

}  // namespace ulnet::tools::lst
