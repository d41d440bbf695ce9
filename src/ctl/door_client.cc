#include "ctl/door_client.h"

#include <httplib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "ctl/tree_fields.h"

namespace ulnet::ctl {

namespace {

constexpr int kDoorVersion = 1;
constexpr time_t kConnectSeconds = 5;
constexpr std::size_t kPathMax = sizeof(sockaddr_un{}.sun_path);

/// Connects once, to say in words why a node cannot be reached: the HTTP library does not.
Result<void> try_connect(const std::string& path) {
  if (path.size() >= kPathMax) return fail(-ENAMETOOLONG, "the socket's path is too long: " + path);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(-errno, std::strerror(errno));
  // A node that is paused accepts nothing, and when its queue is full connect() would wait for it.
  const timeval patience{kConnectSeconds, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int rc = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int code = rc == 0 ? 0 : errno;
  ::close(fd);
  switch (code) {
    case 0:
      return {};
    case ENOENT:
      return fail(-ENOENT, "no node: " + path + " does not exist");
    case ECONNREFUSED:
      return fail(-ECONNREFUSED, "no node answers at " + path + ": it has ended");
    case EAGAIN:
      return fail(-EAGAIN, "the node at " + path + " takes no connections: it is paused, or busy");
    case EACCES:
      return fail(-EACCES, "not permitted to talk to the node at " + path +
                               ": root, its owner and (to read) its group are");
    default:
      return fail(-code, "cannot reach the node at " + path + ": " + std::strerror(code));
  }
}

}  // namespace

struct DoorClient::Connection {
  Connection(const std::string& socket, std::chrono::seconds usual)
      : http(socket), patience(usual) {
    http.set_address_family(AF_UNIX);
    http.set_keep_alive(true);
    http.set_default_headers({{"Host", "ulnet"}});
    http.set_connection_timeout(kConnectSeconds);
    http.set_read_timeout(patience);
    http.set_write_timeout(kConnectSeconds * 6);
  }

  /// The body of an answer that is no error.
  Result<std::string> text(const httplib::Result& result) {
    hint.clear();
    if (!result) {
      return fail(-ECONNRESET, "the node closed the control connection, or did not answer in time");
    }
    if (result->status >= 200 && result->status < 300) return result->body;
    const Tree body = Tree::parse(result->body, nullptr, false);
    Error error{-EPROTO, "the node answered with HTTP status " + std::to_string(result->status)};
    error.code = number_in(body, "errno", error.code);
    if (const std::string descr = text_in(body, "descr"); !descr.empty()) error.reason = descr;
    hint = text_in(body, "hint");
    return tl::unexpected(error);
  }
  Result<Tree> answer(const httplib::Result& result) {
    const auto said = text(result);
    if (!said) return tl::unexpected(said.error());
    Tree body = Tree::parse(*said, nullptr, false);
    if (!body.is_object()) return fail(-EPROTO, "the node's answer is not understood");
    hint = text_in(body, "hint");
    return body;
  }

  httplib::Client http;
  const std::chrono::seconds patience;
  std::string hint;
};

DoorClient::DoorClient(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
DoorClient::~DoorClient() = default;

Result<std::unique_ptr<DoorClient>> DoorClient::open(const std::string& socket,
                                                     std::chrono::seconds patience) {
  if (auto there = try_connect(socket); !there) return tl::unexpected(there.error());
  std::unique_ptr<DoorClient> client(
      new DoorClient(std::make_unique<Connection>(socket, patience)));
  auto version = client->get("/v1/version");
  if (!version) return fail(version.error().code, socket + ": " + version.error().reason);
  const int door = number_in(*version, "door", 0);
  if (door != kDoorVersion) {
    return fail(-EPROTO, "the node at " + socket + " speaks version " + std::to_string(door) +
                             " of the control door, this program version " +
                             std::to_string(kDoorVersion));
  }
  return client;
}

std::string DoorClient::take_hint() { return std::exchange(connection_->hint, {}); }

namespace {
constexpr const char* kJson = "application/json";
// Bytes that are not UTF-8 (from a command line) are replaced; the door then refuses the text
// with the reason that fits.
std::string text_of(const Tree& body) {
  return body.dump(-1, ' ', false, Tree::error_handler_t::replace);
}
}  // namespace

Result<Tree> DoorClient::get(const std::string& path) {
  return connection_->answer(connection_->http.Get(path));
}
Result<std::string> DoorClient::get_text(const std::string& path) {
  return connection_->text(connection_->http.Get(path));
}
Result<Tree> DoorClient::post(const std::string& path, const Tree& body,
                              std::chrono::seconds patience) {
  connection_->http.set_read_timeout(patience);
  auto answer = connection_->answer(connection_->http.Post(path, text_of(body), kJson));
  connection_->http.set_read_timeout(connection_->patience);
  return answer;
}
Result<Tree> DoorClient::patch(const std::string& path, const Tree& body) {
  return connection_->answer(connection_->http.Patch(path, text_of(body), kJson));
}
Result<Tree> DoorClient::del(const std::string& path, const Tree& body) {
  return connection_->answer(connection_->http.Delete(path, text_of(body), kJson));
}

std::string query_escape(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace ulnet::ctl
