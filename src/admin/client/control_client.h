// The client of a node's control API: HTTP and JSON over its Unix socket, on one connection that
// stays open. Source: docs/CONTROL-API.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "admin/client/control_api.h"

namespace ulnet::ctl {

/// Every call waits for the node. When the node has gone or does not answer in time, the error's
/// code is -ECONNRESET. The reason says which of the two happened, with the pid of the node's
/// process.
class ControlClient final : public ControlApi {
 public:
  /// Connects, and checks that this client speaks the version of the control API. -ECONNREFUSED (no
  /// process listens), -EACCES, -ENOENT, -EPROTO, each with a sentence for the user. `timeout` is
  /// how long the node may take to answer a call without a `timeout` of its own.
  static Result<std::unique_ptr<ControlClient>> open(const std::string& socket,
                                                     std::chrono::seconds timeout = kTimeout);
  ~ControlClient() override;
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  /// Requests the version of the control API again; the node has 5 s for the answer. An error, as
  /// of open(), means that the node hangs, and that a longer call would wait for it.
  Result<void> greet();

  Result<Tree> get(const std::string& path) override;
  Result<std::string> get_text(const std::string& path) override;
  /// Returns the hint for the user that came with the answer to the last request. Empty when the
  /// answer had none, or when the hint was taken before.
  std::string take_hint();

 private:
  struct Connection;
  Result<Tree> change(const std::string& method, const std::string& path, const Tree& body,
                      std::optional<std::chrono::seconds> timeout) override;
  explicit ControlClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

/// Escapes a text for a query ("2001:db8::1@tcp" → "2001%3Adb8%3A%3A1%40tcp").
std::string query_escape(std::string_view text);

}  // namespace ulnet::ctl
