// The console of a self-test session, wherever it lives: in a node, behind its control door, or in
// this process. Source: docs/DOOR.md, spec/cli-lst.md 4.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "ctl/door_client.h"

namespace ulnet::tools::lst {

using ctl::Tree;

class ConsoleDoor {
 public:
  virtual ~ConsoleDoor() = default;
  /// One command of the console, with its arguments: waits for its end, at most `patience`. An
  /// error's reason is a sentence for the user, its code the console's errno.
  virtual Result<Tree> call(const std::string& command, const Tree& arguments,
                            std::chrono::seconds patience) = 0;
};

/// The console of the node that `control` names (a socket, a name, or empty); connects when it is
/// first asked.
std::unique_ptr<ConsoleDoor> console_of_node(std::string control);

}  // namespace ulnet::tools::lst
