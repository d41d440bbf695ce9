#include "ctl/node_door.h"

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "conf/places.h"
#include "machine/socket_lock.h"

namespace ulnet::ctl {

namespace {
/// After so long a node that answered may hang. Calls of a loop come sooner.
constexpr std::chrono::seconds kIdle{1};

/// A daemon that starts has so long to open its door.
constexpr std::chrono::seconds kStart{2};
constexpr std::chrono::milliseconds kPause{20};

bool is_absent(int code) { return code == -ENOENT || code == -ECONNREFUSED; }

/// As DoorClient::open(), but waits while a daemon is starting at the socket: it has the socket's
/// lock before it listens.
Result<std::unique_ptr<DoorClient>> open_when_started(const std::string& socket) {
  const auto give_up = std::chrono::steady_clock::now() + kStart;
  for (;;) {
    auto door = DoorClient::open(socket);
    if (door || !is_absent(door.error().code)) return door;
    const auto starting = machine::holder_of(socket);
    if (!starting) return door;
    if (std::chrono::steady_clock::now() > give_up) {
      return fail(-EAGAIN, "the node at " + socket + " (pid " + std::to_string(*starting) +
                               ") is starting or ending: its control socket is not open");
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Result<DoorClient*> NodeDoor::open(Intent intent) {
  if (door_ == nullptr) {
    const char* environment = std::getenv("ULNET_CONTROL");
    auto socket = find_control_socket(control_, environment == nullptr ? "" : environment,
                                      conf::place_environment());
    if (!socket) return tl::unexpected(socket.error());
    auto door = open_when_started(socket->path);
    if (!door) {
      const int code = door.error().code;
      return fail(code,
                  door.error().reason + (is_absent(code) ? ". Is 'ulnetd' running? --control or "
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
