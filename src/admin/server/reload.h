// Reading the configuration again on request: what the daemon does for `POST /v1/reload`, and
// what it reports. Source: docs/CONTROL-API.md.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::node::control {

/// The result of a reload.
struct Reloaded {
  std::size_t changes = 0;
  std::vector<Error> failures;        ///< mistakes in the configuration, and changes that failed
  std::vector<std::string> warnings;  ///< problems that did not stop the reload
};

/// Reloads the configuration, and returns when the reload is done. Called on the server's threads.
/// -ESHUTDOWN: the daemon is ending.
using Reload = std::function<Result<Reloaded>()>;

}  // namespace ulnet::node::control
