#include "admin/server/control_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <system_error>

#include "admin/http/listener.h"
#include "admin/http/peer_credentials.h"
#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/handlers.h"
#include "admin/server/limits.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

tl::unexpected<Error> system_failure(int socket, const std::string& what) {
  const int code = errno;
  if (socket >= 0) ::close(socket);
  return fail(-code, what + ": " + system_text(code));
}

Result<int> listen_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(-ENAMETOOLONG, "control socket " + path + ": the path is longer than " +
                                   std::to_string(sizeof address.sun_path - 1) + " bytes");
  std::memcpy(address.sun_path, path.data(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return system_failure(socket, "control socket " + path);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return system_failure(socket, "control socket " + path);
  // The socket file has the right mode from the first moment, because bind() makes the file with
  // the mode that fchmod() gave the socket.
  ::fchmod(socket, 0660);
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (!bound || ::fchmodat(AT_FDCWD, path.c_str(), 0660, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::listen(socket, limits::kBacklog) != 0)
    return system_failure(socket, "control socket " + path);
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

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

class HttpControlServer : public ControlServer {
 public:
  HttpControlServer(const ControlServerOptions& options, NodeSlot& slot)
      : path_(options.path),
        context_{.slot = slot,
                 .counters = counters_,
                 .name = options.name,
                 .version = options.version,
                 .log = options.log,
                 .reload = options.reload},
        unix_sessions_(context_, {}),
        tcp_sessions_(context_, {.loopback_host_only = true}) {}

  ~HttpControlServer() override {
    // First removes the file of the socket, so that no new client finds it.
    struct stat now {};
    if (file_.st_ino != 0 && ::lstat(path_.c_str(), &now) == 0 && now.st_ino == file_.st_ino &&
        now.st_dev == file_.st_dev)
      ::unlink(path_.c_str());
  }

  Result<void> open_unix() {
    const auto socket = listen_unix(path_);
    if (!socket) return tl::unexpected(socket.error());
    ::lstat(path_.c_str(), &file_);
    const Ownership owner{.owner = ::geteuid(), .group = file_.st_gid};
    unix_listener_ =
        std::make_unique<Listener>(*socket, limits::kThreads, unix_sessions_, counters_,
                                   [owner](int connection) { return identify(connection, owner); });
    return {};
  }

  Result<void> open_tcp(std::uint16_t port, bool reads) {
    const auto socket = listen_loopback(port);
    if (!socket) return tl::unexpected(socket.error());
    tcp_port_ = port_of(*socket);
    const Caller anyone{
        .access = reads ? Access::kRead : Access::kMetrics,
        .refusal = reads ? "this port is read-only; changes go through the Unix socket"
                         : "this port serves /metrics and /healthz only; with --metrics-api it is "
                           "read-only for the rest",
        .who = "a client of the TCP port"};
    tcp_listener_ = std::make_unique<Listener>(*socket, limits::kTcpThreads, tcp_sessions_,
                                               counters_, [anyone](int) { return anyone; });
    return {};
  }

  std::uint16_t tcp_port() const override { return tcp_port_; }

 private:
  const std::string path_;
  ControlCounters counters_;
  Context context_;
  HttpSessions unix_sessions_;
  HttpSessions tcp_sessions_;
  std::uint16_t tcp_port_ = 0;
  struct stat file_ {};
  // The listeners' threads use all members above.
  std::unique_ptr<Listener> unix_listener_;
  std::unique_ptr<Listener> tcp_listener_;
};

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::open(const ControlServerOptions& options,
                                                           NodeSlot& slot) try {
  auto server = std::make_unique<HttpControlServer>(options, slot);
  if (const auto opened = server->open_unix(); !opened) return tl::unexpected(opened.error());
  if (options.tcp_port)
    if (const auto opened = server->open_tcp(*options.tcp_port, options.tcp_reads); !opened)
      return tl::unexpected(opened.error());
  return server;
} catch (const std::system_error& lacking) {  // the system had no thread or no descriptor
  return fail(-lacking.code().value(), std::string("the control API: ") + lacking.what());
}

}  // namespace ulnet::node::control
