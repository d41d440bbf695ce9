// HTTP/1.1 over one connection, and what a listener serves. cpp-httplib parses requests and writes
// answers. Only the .cc includes httplib.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "admin/http/connection.h"
#include "admin/http/message.h"
#include "ulnet/result.hpp"

namespace ulnet::http {

/// Counters of listeners. Any thread.
struct Counters {
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};    ///< answered with 403
  std::atomic<std::uint64_t> failed{0};     ///< answered with another status of 400 or more
  std::atomic<std::uint64_t> malformed{0};  ///< not HTTP, or too large: answered and closed
  std::atomic<std::uint64_t> timed_out{0};  ///< too slow with a request or with taking the answer
};

/// What a listener serves. Its threads call the functions, several at the same time.
struct Service {
  const char* name;      ///< static; for the log: "the control API"
  Counters& counters;    ///< outlives the listener
  std::size_t threads;   ///< connections served at once
  Times times = {};      ///< of each connection
  Headers headers = {};  ///< of every answer

  /// Refuse a request whose Host header is not a loopback name. A browser can be tricked into
  /// calling a loopback port by another name.
  bool loopback_host_only = false;

  std::function<Reply(const Request&)> answer;
  /// Returns the answer to a request that breaks a rule of HTTP or a limit.
  std::function<Reply(int status, const Error& why)> refuse;
  /// Returns the answer to `what` when memory has run out. Also called, and its answer ignored,
  /// when a connection ends because no memory or no thread is left for it.
  std::function<Reply(std::string_view what)> no_memory;
  /// Returns how many bytes the body of a request may have. The body is not read yet.
  std::function<std::size_t(const Request&)> body_limit;
  /// Takes memory for a body of that many bytes, which is free again when the last copy of `held`
  /// is destroyed after the answer. Returns the answer if there is not enough memory. May be empty.
  std::function<std::optional<Reply>(std::size_t bytes, std::shared_ptr<void>& held)> take_memory;
};

/// Finds out which caller is at the other end of a new connection.
using Identify = std::function<Caller(int connection)>;

/// One object serves all connections of a listener. Any thread.
class Sessions {
 public:
  /// `service` must outlive the sessions.
  static std::unique_ptr<Sessions> of(const Service& service);
  virtual ~Sessions() = default;

  /// Answers requests until the connection ends. Never throws. If memory runs out and no answer is
  /// possible, ends the connection, after Service::no_memory.
  virtual void serve(Connection& connection, const Identify& identify) noexcept = 0;
  /// Reports to Service::no_memory a connection that ends because no memory or no thread is left.
  virtual void end_for_memory() noexcept = 0;
};

}  // namespace ulnet::http
