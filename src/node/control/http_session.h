// HTTP/1.1 over one connection: cpp-httplib reads requests and writes answers, everything between
// is ours (routes.h). Only the .cc sees httplib.
#pragma once

#include <functional>
#include <memory>

#include "node/control/connection.h"
#include "node/control/counters.h"
#include "node/control/message.h"

namespace ulnet::node::control {

/// One for all connections of a listener. Any thread.
class HttpSessions {
 public:
  using Answer = std::function<Reply(const Request&)>;

  struct Rules {
    /// A browser can be tricked into asking a loopback port by another name; a request must call us
    /// by a loopback name.
    bool loopback_host_only = false;
  };

  HttpSessions(Answer answer, DoorCounters& counters, Rules rules);
  ~HttpSessions();

  /// Answers requests until the connection ends. Never throws.
  void serve(Connection& connection, const Caller& caller) noexcept;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace ulnet::node::control
