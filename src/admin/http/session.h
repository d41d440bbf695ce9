// HTTP/1.1 over one connection. cpp-httplib parses requests and writes answers; endpoints.h decides
// which answer it is. Only the .cc includes httplib.
#pragma once

#include <memory>

#include "admin/http/connection.h"
#include "admin/http/message.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

/// One object serves all connections of a listener. Any thread.
class HttpSessions {
 public:
  struct Rules {
    /// Refuse a request whose Host header is not a loopback name. A browser can be tricked into
    /// calling a loopback port by another name.
    bool loopback_host_only = false;
  };

  /// `context`, which has the counters, must outlive this object.
  HttpSessions(Context& context, Rules rules);
  ~HttpSessions();

  /// Answers requests until the connection ends. Never throws. If memory runs out and no answer is
  /// possible, ends the connection, and logs and counts that.
  void serve(Connection& connection, const Caller& caller) noexcept;
  /// Logs and counts a connection that ends because no memory or no thread is left for it.
  void end_for_memory() noexcept;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace ulnet::node::control
