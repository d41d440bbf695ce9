#include "admin/http/listener.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "admin/server/counters.h"

namespace ulnet::node::control {

Listener::Listener(int socket, std::size_t threads, HttpSessions& sessions,
                   ControlCounters& counters, Identify identify)
    : socket_(socket),
      sessions_(sessions),
      counters_(counters),
      identify_(std::move(identify)),
      workers_(threads,
               [this](int descriptor) {
                 Connection connection(descriptor, workers_);
                 serve(connection);
               }),
      accepting_([this] { accept_loop(); }) {}

Listener::~Listener() {
  workers_.stop();
  accepting_.join();
  ::close(socket_);
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

void Listener::serve(Connection& connection) {
  Caller caller;
  try {
    caller = identify_(connection.descriptor());
  } catch (const std::bad_alloc&) {
    return sessions_.end_for_memory();
  }
  sessions_.serve(connection, caller);
}

/// Accepts one connection. Returns false when memory, a thread or a descriptor for it was lacking.
bool Listener::accept_one() {
  const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0)
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED;
  ++counters_.connections;
  try {
    if (workers_.submit(connection)) return true;
  } catch (const std::bad_alloc&) {  // submit() has not taken the connection then
  }
  ::close(connection);
  if (!workers_.stopping()) sessions_.end_for_memory();
  return false;
}

}  // namespace ulnet::node::control
