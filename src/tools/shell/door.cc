#include "tools/shell/door.h"

#include <cstdlib>

#include "conf/interfaces.h"
#include "ctl/find_socket.h"

namespace ulnet::tools {

Result<std::unique_ptr<ctl::DoorClient>> open_door(const std::string& control) {
  const char* environment = std::getenv("ULNET_CONTROL");
  const auto path = ctl::find_control_socket(control, environment == nullptr ? "" : environment,
                                             conf::place_environment());
  if (!path) return tl::unexpected(path.error());
  auto door = ctl::DoorClient::open(*path);
  if (!door)
    return fail(door.error().code,
                door.error().reason +
                    ". Is 'ulnetd' running? --control or ULNET_CONTROL name another node.");
  return door;
}

}  // namespace ulnet::tools
