#include "ulnetd/notify.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace ulnet::tools {

namespace {

int starter = -1;

void write_to_starter(const std::string& message) {
  if (starter < 0) return;
  [[maybe_unused]] const auto written = ::write(starter, message.data(), message.size());
  if (message.find("READY=1") == std::string::npos) return;
  ::close(std::exchange(starter, -1));
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  ::close(nothing);
}

}  // namespace

void notify_starter(int descriptor) { starter = descriptor; }

void notify_supervisor(const std::string& message) {
  write_to_starter(message);
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  const std::string name = path;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) return;
  name.copy(address.sun_path, name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';  // an abstract socket name
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  [[maybe_unused]] const auto sent = ::sendto(socket, message.data(), message.size(), MSG_NOSIGNAL,
                                              reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

void notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t usec = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  notify_supervisor("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

}  // namespace ulnet::tools
