#include "admin/http/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "admin/http/limits.h"
#include "admin/http/peer_credentials.h"

namespace ulnet::http {

namespace {

tl::unexpected<Error> system_failure(int socket, const std::string& what) {
  const int code = errno;
  if (socket >= 0) ::close(socket);
  return fail(-code, what + ": " + std::strerror(code));
}

Result<int> listen_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(-ENAMETOOLONG, path + ": the path is longer than " +
                                   std::to_string(sizeof address.sun_path - 1) + " bytes");
  std::memcpy(address.sun_path, path.data(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return system_failure(socket, path);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_failure(socket, path);
  // The socket file has the right mode from the first moment, because bind() makes the file with
  // the mode that fchmod() gave the socket.
  ::fchmod(socket, 0660);
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (!bound || ::fchmodat(AT_FDCWD, path.c_str(), 0660, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::listen(socket, limits::kBacklog) != 0)
    return system_failure(socket, path);
  return socket;
}

Result<int> listen_loopback(std::uint16_t port) {
  const std::string what = "port " + std::to_string(port) + " on 127.0.0.1";
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return system_failure(socket, what);
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Accepted connections inherit this option.
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket, limits::kBacklog) != 0)
    return system_failure(socket, what);
  return socket;
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(const std::string& path, Service service) {
  const auto socket = listen_unix(path);
  if (!socket) return tl::unexpected(socket.error());
  struct stat file {};
  ::lstat(path.c_str(), &file);
  const Ownership owner{.owner = ::geteuid(), .group = file.st_gid};
  const auto by_credentials = [owner](int connection) { return identify(connection, owner); };
  return std::unique_ptr<Listener>(
      new Listener(*socket, std::move(service), by_credentials, path, file));
}

Result<std::unique_ptr<Listener>> Listener::open(std::uint16_t port, const Caller& anyone,
                                                 Service service) {
  const auto socket = listen_loopback(port);
  if (!socket) return tl::unexpected(socket.error());
  return std::unique_ptr<Listener>(
      new Listener(*socket, std::move(service), [anyone](int) { return anyone; }));
}

Listener::Listener(int socket, Service service, Identify identify, std::string path,
                   const struct stat& file)
    : socket_(socket),
      service_(std::move(service)),
      identify_(std::move(identify)),
      path_(std::move(path)),
      file_(file),
      workers_(service_.threads,
               [this](int descriptor) {
                 Connection connection(descriptor, workers_, service_.times);
                 sessions_->serve(connection, identify_);
               }),
      accepting_([this] { accept_loop(); }) {}

Listener::~Listener() {
  // First removes the file of the socket, so that no new client finds it.
  struct stat now {};
  if (file_.st_ino != 0 && ::lstat(path_.c_str(), &now) == 0 && now.st_ino == file_.st_ino &&
      now.st_dev == file_.st_dev)
    ::unlink(path_.c_str());
  workers_.stop();
  accepting_.join();
  ::close(socket_);
}

std::uint16_t Listener::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

void Listener::accept_loop() {
  while (!workers_.stopping()) {
    // When all places are taken, or the system has no descriptor, new connections wait in the
    // listen queue.
    constexpr int kPauseMs = 20;
    pollfd polled[2] = {{workers_.stopping_descriptor(), POLLIN, 0}, {socket_, POLLIN, 0}};
    const bool free_worker = workers_.has_capacity();
    ::poll(polled, free_worker ? 2 : 1, free_worker ? -1 : kPauseMs);
    if (polled[1].revents == 0 || accept_one()) continue;
    ::poll(polled, 1, kPauseMs);
  }
}

/// Accepts one connection. Returns false when memory, a thread or a descriptor for it was lacking.
bool Listener::accept_one() {
  const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0)
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED;
  ++service_.counters.connections;
  try {
    if (workers_.submit(connection)) return true;
  } catch (const std::bad_alloc&) {  // submit() has not taken the connection then
  }
  ::close(connection);
  if (!workers_.stopping()) sessions_->end_for_memory();
  return false;
}

}  // namespace ulnet::http
