// The console of a selftest session: in a node behind its control API, or in this process. Source:
// docs/CONTROL-API.md, spec/cli-lst.md 4.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admin/client/control_client.h"

namespace ulnet::tools::lst {

using ctl::Tree;

class ConsoleClient {
 public:
  virtual ~ConsoleClient() = default;
  /// Calls one command of the console and waits for its end, at most `patience`. The code of an
  /// error is the console's errno; the reason is a sentence for the user.
  virtual Result<Tree> call(const std::string& command, const Tree& arguments,
                            std::chrono::seconds patience) = 0;
};

/// Returns the console of the node that `control` names (a socket, a name, or empty). Connects on
/// the first call.
std::unique_ptr<ConsoleClient> console_of_node(std::string control);

}  // namespace ulnet::tools::lst
