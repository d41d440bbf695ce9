// The control door: HTTP and JSON on a Unix socket, and read-only on a loopback TCP port if wanted.
// What it says is in docs/DOOR.md. Source: DESIGN.md 5.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "node/control/node_slot.h"
#include "node/control/reload.h"
#include "node/control/request_log.h"
#include "ulnet/result.hpp"

namespace ulnet::node::control {

struct DoorOptions {
  std::string path;  ///< the Unix socket; a file already there is replaced (whoever calls this owns
                     ///< the place)
  std::optional<std::uint16_t> tcp_port;  ///< loopback, read-only; 0 lets the system choose
  std::string name = "ulnet";             ///< the node's
  std::string version;                    ///< the program's
  DoorLog log = {};                       ///< hears of changes, refusals and requests
  Reload reload = {};                     ///< reads the configuration again, where there is one
};

/// Open as long as it lives. The destructor waits for requests under way: stop the node first, so
/// that they end.
class Door {
 public:
  /// `slot` must outlive the door. The error's reason names the path or the port.
  static Result<std::unique_ptr<Door>> open(const DoorOptions& options, NodeSlot& slot);
  virtual ~Door() = default;

  /// The port that the read-only part is on; 0: none.
  virtual std::uint16_t tcp_port() const = 0;
};

}  // namespace ulnet::node::control
