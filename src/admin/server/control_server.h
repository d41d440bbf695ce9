// The control API: HTTP and JSON on a Unix socket, and on request on a loopback TCP port, for the
// metrics alone or for all read requests. docs/CONTROL-API.md describes its requests and answers.
// Source: DESIGN.md 5.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "admin/server/node_slot.h"
#include "admin/server/reload.h"
#include "admin/server/request_log.h"
#include "ulnet/result.hpp"

namespace ulnet::node::control {

struct ControlServerOptions {
  /// The Unix socket. An existing file is replaced, because the caller owns the path.
  std::string path;
  std::optional<std::uint16_t>
      tcp_port;                ///< loopback, /metrics and /healthz; 0: the system chooses
  bool tcp_reads = false;      ///< the TCP port also answers all other read requests
  std::string name = "ulnet";  ///< the node's name
  std::string version;         ///< the program's version
  ControlLog log = {};         ///< receives lines about changes, refusals and requests
  Reload reload = {};          ///< reads the configuration again; empty: the daemon cannot reload
};

/// Open as long as the object exists. The destructor waits for requests under way. Stop the node
/// before, so that these requests end.
class ControlServer {
 public:
  /// Opens the server. `slot` must outlive it. The error's reason names the path or the port.
  static Result<std::unique_ptr<ControlServer>> open(const ControlServerOptions& options,
                                                     NodeSlot& slot);
  virtual ~ControlServer() = default;

  /// Returns the loopback port; 0: no such port is open.
  virtual std::uint16_t tcp_port() const = 0;
};

}  // namespace ulnet::node::control
