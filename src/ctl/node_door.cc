#include "ctl/node_door.h"

#include <cerrno>
#include <cstdlib>

#include "conf/interfaces.h"

namespace ulnet::ctl {

namespace {
/// After so long a node that answered may hang. Calls of a loop come sooner.
constexpr std::chrono::seconds kIdle{1};
}  // namespace

Result<DoorClient*> NodeDoor::open(Intent intent) {
  if (door_ == nullptr) {
    const char* environment = std::getenv("ULNET_CONTROL");
    auto socket = find_control_socket(control_, environment == nullptr ? "" : environment,
                                      conf::place_environment());
    if (!socket) return tl::unexpected(socket.error());
    auto door = DoorClient::open(socket->path);
    if (!door) {
      const int code = door.error().code;
      const bool none = code == -ENOENT || code == -ECONNREFUSED;
      return fail(code, door.error().reason + (none ? ". Is 'ulnetd' running? --control or "
                                                      "ULNET_CONTROL name another node."
                                                    : ""));
    }
    socket_ = std::move(*socket);
    door_ = std::move(*door);
  } else if (Clock::now() - opened_ > kIdle) {
    if (const auto answers = door_->greet(); !answers) return tl::unexpected(answers.error());
  }
  opened_ = Clock::now();
  if (const auto may = check_intent(socket_, intent); !may) return tl::unexpected(may.error());
  return door_.get();
}

}  // namespace ulnet::ctl
