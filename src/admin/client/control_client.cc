#include "admin/client/control_client.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "admin/client/tree_fields.h"
#include "lnet/os/socket_lock.h"

namespace ulnet::ctl {

namespace {

constexpr int kApiVersion = 1;
constexpr time_t kConnectSeconds = 5;
constexpr std::chrono::seconds kGreetingTimeout{5};
constexpr std::size_t kPathMax = sizeof(sockaddr_un{}.sun_path);

/// Returns " (pid 12)" with the process that listens at the socket; empty when the system does not
/// say which.
std::string named_listener(int connected) {
  ucred listener{};
  socklen_t size = sizeof listener;
  const bool known = ::getsockopt(connected, SOL_SOCKET, SO_PEERCRED, &listener, &size) == 0;
  return known && listener.pid > 0 ? " (pid " + std::to_string(listener.pid) + ")" : "";
}

/// Does the same as named_listener() for a socket that accepts no connection, by the lock of its
/// daemon.
std::string named_owner(const std::string& path) {
  const pid_t pid = machine::holder_of(path).value_or(0);
  return pid > 0 ? " (pid " + std::to_string(pid) + ")" : "";
}

/// Connects once to find out why a node cannot be reached, which the HTTP library does not report.
/// Returns the node's name for messages: "the node at PATH (pid 12)".
Result<std::string> try_connect(const std::string& path) {
  if (path.size() >= kPathMax) return fail(-ENAMETOOLONG, "the socket's path is too long: " + path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(-errno, std::strerror(errno));
  // A paused node accepts no connection, and connect() would wait for it when its queue is full.
  const timeval timeout{kConnectSeconds, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int rc = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int code = rc == 0 ? 0 : errno;
  const std::string node = "the node at " + path;
  const std::string listener = code == 0 ? named_listener(fd) : "";
  ::close(fd);
  switch (code) {
    case 0:
      return node + listener;
    case ENOENT:
      return fail(-ENOENT, "no node: " + path + " does not exist");
    case ECONNREFUSED:
      return fail(-ECONNREFUSED, "no node answers at " + path + ": it has ended");
    case EAGAIN:
      return fail(-EAGAIN,
                  node + named_owner(path) + " takes no connections: it hangs, or is stopped");
    case EACCES:
      return fail(-EACCES, "not permitted to talk to the node at " + path +
                               ": only root, its owner and (to read) its group may");
    default:
      return fail(-code, "cannot reach " + node + ": " + std::strerror(code));
  }
}

}  // namespace

struct ControlClient::Connection {
  Connection(const std::string& socket, std::string named, std::chrono::seconds usual)
      : http(socket), node(std::move(named)), timeout(usual) {
    http.set_address_family(AF_UNIX);
    http.set_keep_alive(true);
    http.set_default_headers({{"Host", "ulnet"}});
    http.set_connection_timeout(kConnectSeconds);
    http.set_write_timeout(kConnectSeconds * 6);
  }

  /// Sends a request, and waits for its answer for at most `time`. Returns the answer's body, or
  /// its error.
  template <class Send>
  Result<std::string> text(std::chrono::seconds time, const Send& send) {
    hint.clear();
    http.set_read_timeout(time);
    const auto asked = std::chrono::steady_clock::now();
    const httplib::Result result = send(http);
    if (!result) {
      const bool silent = std::chrono::steady_clock::now() - asked >= time;
      return fail(-ECONNRESET,
                  node + (silent ? " has not answered for " + std::to_string(time.count()) +
                                       " s: it hangs, or is stopped"
                                 : " closed the control connection"));
    }
    if (result->status >= 200 && result->status < 300) return result->body;
    const Tree body = Tree::parse(result->body, nullptr, false);
    hint = text_in(body, "hint");
    return tl::unexpected(error_in(body, result->status));
  }
  template <class Send>
  Result<Tree> tree(std::chrono::seconds time, const Send& send) {
    const auto said = text(time, send);
    if (!said) return tl::unexpected(said.error());
    Tree body = Tree::parse(*said, nullptr, false);
    if (!body.is_object()) return fail(-EPROTO, "the node's answer is not understood");
    hint = text_in(body, "hint");
    return body;
  }

  httplib::Client http;
  const std::string node;  ///< for messages
  const std::chrono::seconds timeout;
  std::string hint;
};

ControlClient::ControlClient(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
ControlClient::~ControlClient() = default;

Result<std::unique_ptr<ControlClient>> ControlClient::open(const std::string& socket,
                                                           std::chrono::seconds timeout) {
  auto there = try_connect(socket);
  if (!there) return tl::unexpected(there.error());
  std::unique_ptr<ControlClient> client(
      new ControlClient(std::make_unique<Connection>(socket, std::move(*there), timeout)));
  if (const auto spoke = client->greet(); !spoke) return tl::unexpected(spoke.error());
  return client;
}

Result<void> ControlClient::greet() {
  const auto version =
      connection_->tree(std::min(kGreetingTimeout, connection_->timeout),
                        [](httplib::Client& http) { return http.Get("/v1/version"); });
  if (!version) return tl::unexpected(version.error());
  const int api_version = number_in(*version, "door", 0);
  if (api_version == kApiVersion) return {};
  return fail(-EPROTO, connection_->node + " speaks version " + std::to_string(api_version) +
                           " of the control API, this program speaks version " +
                           std::to_string(kApiVersion));
}

std::string ControlClient::take_hint() { return std::exchange(connection_->hint, {}); }

namespace {
constexpr const char* kJson = "application/json";
// Replaces bytes that are not UTF-8 (from a command line); the node then refuses the text with the
// fitting reason.
std::string text_of(const Tree& body) {
  return body.dump(-1, ' ', false, Tree::error_handler_t::replace);
}
}  // namespace

Result<Tree> ControlClient::get(const std::string& path) {
  return connection_->tree(connection_->timeout,
                           [&](httplib::Client& http) { return http.Get(path); });
}
Result<std::string> ControlClient::get_text(const std::string& path) {
  return connection_->text(connection_->timeout,
                           [&](httplib::Client& http) { return http.Get(path); });
}
Result<Tree> ControlClient::change(const std::string& method, const std::string& path,
                                   const Tree& body, std::optional<std::chrono::seconds> timeout) {
  return connection_->tree(timeout.value_or(connection_->timeout), [&](httplib::Client& http) {
    if (method == "POST") return http.Post(path, text_of(body), kJson);
    if (method == "PATCH") return http.Patch(path, text_of(body), kJson);
    return http.Delete(path, text_of(body), kJson);
  });
}

std::string query_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace ulnet::ctl
