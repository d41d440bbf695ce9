// LNet selftest as a service of the daemon's node: it serves the sessions of other consoles, and
// its own console carries out commands of the control API (docs/CONTROL-API.md, /v1/lst). Source:
// spec/cli-lst.md 3.
#pragma once

#include "admin/server/node_service.h"

namespace ulnet::node::control {

/// Starts serving selftest. Uses those of the node's module parameters that belong to selftest.
/// Fails with LNet's error, or that of a bad parameter.
Result<std::shared_ptr<NodeService>> start_lst(const std::shared_ptr<Node>& node);

}  // namespace ulnet::node::control
