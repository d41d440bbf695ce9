// A listening socket, the thread that accepts from it, and the Workers that serve the
// connections.
#pragma once

#include <functional>
#include <thread>

#include "admin/http/session.h"
#include "admin/http/workers.h"

namespace ulnet::node::control {

class Listener {
 public:
  /// Finds out which caller is at the other end of a new connection.
  using Identify = std::function<Caller(int connection)>;

  /// Takes over the listening `socket`.
  Listener(int socket, std::size_t threads, HttpSessions& sessions, ControlCounters& counters,
           Identify identify);
  /// Closes the socket and every connection, and waits for requests under way.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  void accept_loop();
  bool accept_one();
  void serve(Connection& connection);

  const int socket_;
  HttpSessions& sessions_;
  ControlCounters& counters_;
  const Identify identify_;
  Workers workers_;
  std::thread accepting_;
};

}  // namespace ulnet::node::control
