// One HTTP request and its reply, without HTTP's details: handlers get these, and tests can make
// them by hand.
#pragma once

#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin/http/limits.h"

namespace ulnet::http {

/// What access a caller has; ordered. Root and the owner of a Unix socket write, its group reads.
/// Whoever opens a TCP port gives its clients the metrics, or read access.
enum class Access : std::uint8_t { kNone, kMetrics, kRead, kWrite };

/// The process at the other end of a connection, as the listener found out.
struct Caller {
  Access access = Access::kNone;
  std::string refusal;  ///< why the caller has no higher access, for the error's text
  std::string who;      ///< for the log: "ulnetctl (pid 12, uid 0)"
};

/// Names and values.
using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  ///< "GET" for HEAD too
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
  std::string body;
  Caller caller;
  Headers headers = {};

  /// Returns the value of a query key; empty without that key.
  std::string_view param(std::string_view key) const {
    for (const auto& [name, value] : query)
      if (name == key) return value;
    return {};
  }
  bool has_param(std::string_view key) const {
    return std::ranges::any_of(query, [&](const auto& entry) { return entry.first == key; });
  }
  /// Returns the value of the first header with the name, in letters of any case; empty without it.
  std::string_view header(const char* name) const {
    for (const auto& [key, value] : headers)
      if (::strcasecmp(key.c_str(), name) == 0) return value;
    return {};
  }
};

/// Gathers a body that is made while it is sent into pieces of limits::kPieceBytes. One thread.
class Pieces {
 public:
  /// Sends a piece. Returns false when the client has gone.
  using Send = std::function<bool(std::string_view piece)>;

  /// `push` sends what `send` has collected. It returns false as `send` does, and may be empty if
  /// flush() is not called.
  explicit Pieces(Send send, std::function<bool()> push = {})
      : send_(std::move(send)), push_(std::move(push)) {}
  /// Adds text to the body. Returns false when the client has gone, so that no more text is needed.
  bool add(std::string_view text) {
    piece_ += text;
    if (piece_.size() >= limits::kPieceBytes) finish();
    return !gone_;
  }
  /// Sends all of the body so far, so that the client has it while the rest is made. Returns false
  /// as add() does.
  bool flush() {
    finish();
    gone_ = gone_ || !push_();
    return !gone_;
  }
  /// Sends the rest of the body, which is then complete.
  void finish() {
    gone_ = gone_ || (!piece_.empty() && !send_(piece_));
    piece_.clear();
  }

 private:
  const Send send_;
  const std::function<bool()> push_;
  std::string piece_;
  bool gone_ = false;
};

struct Reply {
  int status = 200;
  std::string body;
  /// Makes the body while it is sent, instead of `body`. Called at most once, on the connection's
  /// thread.
  std::function<void(Pieces&)> make = {};
  /// Receives the connection when the head of the answer has been sent. It sends the body, which
  /// ends with the connection, and must close the connection. Called at most once.
  std::function<void(int descriptor)> hand_over = {};
  const char* content_type = "application/json";  ///< static
  Headers headers = {};                           ///< besides those of every answer
  std::string problem;   ///< for the log, if a change failed: "cannot add LNet NI (-17)"
  bool in_part = false;  ///< with `problem`: other parts of the change were made
};

}  // namespace ulnet::http
