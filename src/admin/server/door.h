// The control door: HTTP and JSON on a Unix socket, and for the metrics, or read-only, on a
// loopback TCP port if wanted. Its requests and answers are described in docs/DOOR.md. Source:
// DESIGN.md 5.
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

struct DoorOptions {
  /// The Unix socket. A file that is already there is replaced: the caller owns the place.
  std::string path;
  std::optional<std::uint16_t>
      tcp_port;                ///< loopback, /metrics and /healthz; 0: the system chooses
  bool tcp_reads = false;      ///< ... and whatever else can be read
  std::string name = "ulnet";  ///< the node's name
  std::string version;         ///< the program's version
  DoorLog log = {};            ///< gets lines about changes, refusals and requests
  Reload reload = {};          ///< reads the configuration again; empty: there is none
};

/// Open as long as the object lives. The destructor waits for requests under way; stop the node
/// first, so that they end.
class Door {
 public:
  /// `slot` must outlive the door. The error's reason names the path or the port.
  static Result<std::unique_ptr<Door>> open(const DoorOptions& options, NodeSlot& slot);
  virtual ~Door() = default;

  /// The loopback port; 0: there is none.
  virtual std::uint16_t tcp_port() const = 0;
};

}  // namespace ulnet::node::control
