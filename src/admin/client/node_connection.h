// The connection of a program to the control API of the node that its user means.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "admin/client/control_client.h"
#include "admin/client/find_socket.h"

namespace ulnet::ctl {

/// The control API of the node that `control` names (a socket or a name). If `control` is empty, it
/// is the node that ULNET_CONTROL names, else the only node that answers.
class NodeConnection {
 public:
  explicit NodeConnection(std::string control) : control_(std::move(control)) {}

  /// Connects on the first call, and waits up to 2 s for a daemon that is starting. If the last
  /// call was more than a second ago, asks whether the node still answers. -EPERM for a change when
  /// the user named no node (admin/client/find_socket.h). The error's reason is a sentence for the
  /// user. The result is valid as long as this object.
  Result<ControlClient*> open(Intent intent);
  /// Returns the path of the control socket, once it is open.
  const std::string& path() const { return socket_.path; }

 private:
  using Clock = std::chrono::steady_clock;

  std::string control_;
  ControlSocket socket_;
  std::unique_ptr<ControlClient> client_;
  Clock::time_point opened_;
};

}  // namespace ulnet::ctl
