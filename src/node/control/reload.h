// Reading the configuration again on request: what the daemon does for `POST /v1/reload`, and what
// it tells. Source: docs/DOOR.md.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ulnet/result.hpp"

namespace ulnet::node::control {

/// What came of it.
struct Reloaded {
  std::size_t changes = 0;
  std::vector<Error> failures;        ///< mistakes of the configuration, or what could not be done
  std::vector<std::string> warnings;  ///< what stopped nothing
};

/// Called by the door's threads; returns when it is done. -ESHUTDOWN when the daemon is ending.
using Reload = std::function<Result<Reloaded>()>;

}  // namespace ulnet::node::control
