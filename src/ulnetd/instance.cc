#include "ulnetd/instance.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "lnet/os/process_name.h"
#include "lnet/os/socket_lock.h"

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

bool still_there(int lock, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(lock, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/// The lock's descriptor. When another process has the lock, the error names the pid in the file.
Result<int> take_lock(const std::string& path, const std::string& socket_path,
                      SocketOrigin origin) {
  for (;;) {
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (lock < 0) return fail(-errno, path + ": " + std::strerror(errno));
    if (!machine::lock_file(lock)) {
      ::close(lock);
      return occupied(socket_path, origin, machine::holder_of(socket_path).value_or(0));
    }
    if (still_there(lock, path))
      return lock;  // otherwise its last owner removed the file before this process took the lock
    ::close(lock);
  }
}

}  // namespace

Result<Instance> Instance::claim(const std::string& socket_path, SocketOrigin origin) {
  struct stat found {};
  const bool exists = ::lstat(socket_path.c_str(), &found) == 0;
  if (exists && !S_ISSOCK(found.st_mode))
    return fail(-ENOTSOCK, socket_path + " exists and is not a socket; it is left alone");
  const std::string lock_path = machine::lock_of(socket_path);
  const auto lock = take_lock(lock_path, socket_path, origin);
  if (!lock) return tl::unexpected(lock.error());
  Instance claimed(lock_path, *lock);
  if (const pid_t pid = exists ? listener_at(socket_path) : 0; pid != 0)
    return occupied(socket_path, origin, pid);
  const std::string own = std::to_string(::getpid()) + "\n";
  if (::ftruncate(*lock, 0) != 0 || ::pwrite(*lock, own.data(), own.size(), 0) < 0)
    return fail(-errno, lock_path + ": " + std::strerror(errno));
  return claimed;
}

Instance::Instance(Instance&& other) noexcept
    : lock_path_(std::move(other.lock_path_)), lock_(std::exchange(other.lock_, -1)) {}

Instance::~Instance() {
  if (lock_ < 0) return;
  ::unlink(lock_path_.c_str());  // while it is held, so that no other process's file is removed
  ::close(lock_);
}

}  // namespace ulnet::tools
