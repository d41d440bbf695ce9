#include "ulnetd/instance.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "lnet/os/process_name.h"

namespace ulnet::tools {

namespace {

tl::unexpected<Error> occupied(const std::string& path, SocketOrigin origin, pid_t pid) {
  std::string who = "another process";
  std::string how = "stop that one first";
  if (pid > 0) {
    const std::string name = node::program_of(pid);
    who = "process " + std::to_string(pid) + " (" + (name.empty() ? "?" : name) + ")";
    how = "stop that one with 'kill " + std::to_string(pid) + "'";
  }
  const std::string busy = "already running: " + who + " has the control socket " + path;
  // The user set ULNET_CONTROL for the other tools, and hardly wants to end that node.
  if (origin == SocketOrigin::kEnvironment)
    return fail(-EEXIST, busy +
                             ", which ULNET_CONTROL names; give this one a --name of its own, or "
                             "unset ULNET_CONTROL");
  return fail(-EEXIST, busy + "; start this one under another --name, or " + how +
                           " (or 'systemctl stop' its unit)");
}

/// The process that listens at the socket; 0 when no process listens, -1 when the system does not
/// name it.
pid_t listener_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return 0;
  path.copy(address.sun_path, path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return 0;
  pid_t pid = 0;
  const int connected =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (connected == 0 || errno == EAGAIN || errno == EACCES) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    const bool named =
        connected == 0 && ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0;
    pid = named && credentials.pid > 0 ? credentials.pid : -1;
  }
  ::close(socket);
  return pid;
}

}  // namespace

Result<machine::LockFile> claim_socket(const std::string& socket_path, SocketOrigin origin) {
  struct stat found {};
  const bool exists = ::lstat(socket_path.c_str(), &found) == 0;
  if (exists && !S_ISSOCK(found.st_mode))
    return fail(-ENOTSOCK, socket_path + " exists and is not a socket; it is left alone");
  auto lock = machine::LockFile::take(machine::lock_of(socket_path), 0644);
  if (!lock) return tl::unexpected(lock.error());
  if (!*lock) return occupied(socket_path, origin, machine::holder_of(socket_path).value_or(0));
  if (const pid_t pid = exists ? listener_at(socket_path) : 0; pid != 0)
    return occupied(socket_path, origin, pid);
  return std::move(**lock);
}

}  // namespace ulnet::tools
