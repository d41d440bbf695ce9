#include "admin/client/node_connection.h"

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "admin/conf/places.h"
#include "lnet/os/socket_lock.h"

namespace ulnet::ctl {

namespace {
/// After this time without a call, a node that answered before may hang. Calls in a loop follow
/// each other sooner than that.
constexpr std::chrono::seconds kIdle{1};

/// How long a daemon that is starting may take to open its control socket.
constexpr std::chrono::seconds kStart{2};
/// How long a daemon that was started a moment ago may take to take its lock. Before that nothing
/// shows that it exists. On an idle machine it needs 26 ms.
constexpr std::chrono::milliseconds kLaunch{100};
constexpr std::chrono::milliseconds kPause{20};

struct Found {
  ControlSocket socket;                   ///< without a path: the user named no node, and none runs
  std::unique_ptr<ControlClient> client;  ///< null: no process listens at the socket
  Error why;                              ///< why `client` is null
};

/// Looks for the node once. An error is one that waiting does not cure.
Result<Found> look(const std::string& control) {
  const char* environment = std::getenv("ULNET_CONTROL");
  auto socket = find_control_socket(control, environment == nullptr ? "" : environment,
                                    conf::place_environment());
  if (!socket && socket.error().code == -ENOENT) return Found{{}, nullptr, socket.error()};
  if (!socket) return tl::unexpected(socket.error());
  auto client = ControlClient::open(socket->path);
  if (client) return Found{std::move(*socket), std::move(*client), {}};
  const int code = client.error().code;
  if (code != -ENOENT && code != -ECONNREFUSED) return tl::unexpected(client.error());
  return Found{std::move(*socket),
               nullptr,
               {code, client.error().reason + ". Is 'ulnetd' running? --control or ULNET_CONTROL "
                                              "name another node."}};
}

/// Looks for the node again while a daemon is starting at the socket. Such a daemon holds the
/// socket's lock before it listens.
Result<Found> look_until_started(const std::string& control) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    auto found = look(control);
    if (!found || found->client != nullptr) return found;
    const auto waited = std::chrono::steady_clock::now() - began;
    const std::string& path = found->socket.path;
    const auto starting = path.empty() ? std::nullopt : machine::holder_of(path);
    if (starting && waited > kStart)
      return fail(-EAGAIN, "the node at " + path + " (pid " + std::to_string(*starting) +
                               ") is starting or ending: its control socket is not open");
    if (!starting && waited > kLaunch) return tl::unexpected(found->why);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

Result<ControlClient*> NodeConnection::open(Intent intent) {
  if (client_ == nullptr) {
    auto found = look_until_started(control_);
    if (!found) return tl::unexpected(found.error());
    socket_ = std::move(found->socket);
    client_ = std::move(found->client);
  } else if (Clock::now() - opened_ > kIdle) {
    if (const auto answers = client_->greet(); !answers) return tl::unexpected(answers.error());
  }
  opened_ = Clock::now();
  if (const auto may = check_intent(socket_, intent); !may) return tl::unexpected(may.error());
  return client_.get();
}

}  // namespace ulnet::ctl
