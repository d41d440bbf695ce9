// One request to the control API and its reply, without HTTP's details: handlers get these, and
// tests can make them by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ulnet::node::control {

class Pieces;

/// What access a caller has; ordered (docs/CONTROL-API.md). Root and the owner write, the group
/// reads. The TCP port gives the metrics, or read access.
enum class Access : std::uint8_t { kNone, kMetrics, kRead, kWrite };

/// The process at the other end of a connection, as the listener found out.
struct Caller {
  Access access = Access::kNone;
  std::string refusal;  ///< why the caller has no higher access, for the error's `descr`
  std::string who;      ///< for the log: "ulnetctl (pid 12, uid 0)"
};

struct Request {
  std::string method;  ///< "GET" for HEAD too
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
  std::string body;
  Caller caller;
  std::string last_event_id = {};  ///< the header with the id of the last event that a reader has

  /// Returns the value of a query key; empty without that key.
  std::string_view param(std::string_view key) const {
    for (const auto& [name, value] : query)
      if (name == key) return value;
    return {};
  }
  bool has_param(std::string_view key) const {
    for (const auto& [name, value] : query)
      if (name == key) return true;
    return false;
  }
};

struct Reply {
  int status = 200;
  std::string body;
  /// Makes the body while it is sent (pieces.h), instead of `body`. Called at most once.
  std::function<void(Pieces&)> make = {};
  /// Receives the connection when the head of the answer has been sent. It sends the body, which
  /// ends with the connection, and must close the connection. Called at most once.
  std::function<void(int descriptor)> hand_over = {};
  const char* content_type = "application/json";  ///< static
  std::string allow;                              ///< with 405: the methods that the path has
  std::string problem;    ///< for the log, if a change failed: "cannot add LNet NI (-17)"
  int retry_after_s = 0;  ///< with 503: when to ask again; 0: no time is given
  bool in_part = false;   ///< with `problem`: other parts of the change were made
};

}  // namespace ulnet::node::control
