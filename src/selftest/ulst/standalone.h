// A node and a console in this process, without daemon and configuration. Source: DESIGN.md 5.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "selftest/ulst/console_client.h"

namespace ulnet::tools::lst {

struct StandaloneOptions {
  std::string networks;  ///< "tcp(eth0)"
  std::map<std::string, std::string> params;
};

/// Starts the node and returns its console. An error's reason is a sentence for the user.
/// Destroying the console ends its session at all nodes.
Result<std::unique_ptr<ConsoleClient>> standalone_console(const StandaloneOptions& options);

}  // namespace ulnet::tools::lst
