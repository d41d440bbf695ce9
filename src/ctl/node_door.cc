#include "ctl/node_door.h"

#include <cstdlib>

#include "conf/interfaces.h"

namespace ulnet::ctl {

Result<DoorClient*> NodeDoor::open(Intent intent) {
  if (door_ == nullptr) {
    const char* environment = std::getenv("ULNET_CONTROL");
    auto socket = find_control_socket(control_, environment == nullptr ? "" : environment,
                                      conf::place_environment());
    if (!socket) return tl::unexpected(socket.error());
    auto door = DoorClient::open(socket->path);
    if (!door)
      return fail(door.error().code,
                  door.error().reason +
                      ". Is 'ulnetd' running? --control or ULNET_CONTROL name another node.");
    socket_ = std::move(*socket);
    door_ = std::move(*door);
  }
  if (const auto may = check_intent(socket_, intent); !may) return tl::unexpected(may.error());
  return door_.get();
}

}  // namespace ulnet::ctl
