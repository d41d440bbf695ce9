// A service that runs above the daemon's node and has commands in the control API, such as LNet
// selftest (docs/CONTROL-API.md, /v1/lst). It ends with the node.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "admin/server/reply.h"
#include "lnet/node/node.h"

namespace ulnet::node::control {

/// Any thread.
class NodeService {
 public:
  virtual ~NodeService() = default;
  /// Carries out a command and waits until it is over. Returns nothing if stop() was called before
  /// that. -ENOSYS: no such command; -EINVAL with the reason: wrong arguments; else the service's
  /// own errors.
  virtual std::optional<Result<Json>> run(const std::string& command, const Json& arguments) = 0;
  /// Takes over a changed module parameter of the node, if the service uses it.
  virtual void set_param(const std::string& name, const std::string& value) = 0;
  /// Ends the commands that are running. Returns false when that takes longer than `deadline`.
  virtual bool stop(std::chrono::nanoseconds deadline) = 0;
};

/// Starts a service on a running node, or returns why it cannot.
using StartService = std::function<Result<std::shared_ptr<NodeService>>(std::shared_ptr<Node>)>;

}  // namespace ulnet::node::control
