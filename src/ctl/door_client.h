// The client of a node's control door: HTTP and JSON over its Unix socket, on one connection that
// stays open. Source: docs/DOOR.md.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// What the door answers: an object whose keys keep their order.
using Tree = nlohmann::ordered_json;

/// One thread at a time. Every call waits for the node. An error's code and reason are the door's
/// errno and descr; when the node is gone the code is -ECONNRESET and the reason says so.
class DoorClient {
 public:
  /// How long to wait for an answer that depends on nothing but the node itself.
  static constexpr std::chrono::seconds kPatience{120};

  /// Connects, and checks that the door is of a version that this client speaks. -ECONNREFUSED
  /// (nobody listens), -EACCES, -ENOENT, -EPROTO, each with a sentence for people.
  static Result<std::unique_ptr<DoorClient>> open(const std::string& socket);
  ~DoorClient();
  DoorClient(const DoorClient&) = delete;
  DoorClient& operator=(const DoorClient&) = delete;

  Result<Tree> get(const std::string& path);
  /// For a path that answers with plain text.
  Result<std::string> get_text(const std::string& path);
  /// `patience`: how long the node may take until it counts as gone.
  Result<Tree> post(const std::string& path, const Tree& body,
                    std::chrono::seconds patience = kPatience);
  Result<Tree> patch(const std::string& path, const Tree& body);
  Result<Tree> del(const std::string& path, const Tree& body);
  /// The hint that came with the error of the last request, for people. Empty when there was
  /// none, or it was taken before.
  std::string take_hint();

 private:
  struct Connection;
  explicit DoorClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

/// Text made safe for a query ("2001:db8::1@tcp" → "2001%3Adb8%3A%3A1%40tcp").
std::string query_escape(std::string_view text);

}  // namespace ulnet::ctl
