// The requests that the control API takes (docs/CONTROL-API.md), as an interface. One
// implementation sends requests to a node (admin/client/control_client.h). Another collects them
// and sends them together (admin/client/batch.h).
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "ulnet/result.hpp"

namespace ulnet::ctl {

/// An answer of the control API: an object whose keys keep their order.
using Tree = nlohmann::ordered_json;

/// One thread at a time. An error's code and reason are the control API's errno and descr.
class ControlApi {
 public:
  /// How long to wait for an answer for which the node does not wait for other nodes.
  static constexpr std::chrono::seconds kTimeout{120};

  virtual ~ControlApi() = default;
  virtual Result<Tree> get(const std::string& path) = 0;
  /// Gets a path that answers with plain text.
  virtual Result<std::string> get_text(const std::string& path) = 0;
  /// `timeout` is how long the node may take to answer before it counts as gone.
  Result<Tree> post(const std::string& path, const Tree& body,
                    std::chrono::seconds timeout = kTimeout);
  Result<Tree> patch(const std::string& path, const Tree& body);
  Result<Tree> del(const std::string& path, const Tree& body);
  /// `method`: POST, PATCH or DELETE. Without a `timeout` the implementation has one of its own.
  virtual Result<Tree> change(const std::string& method, const std::string& path, const Tree& body,
                              std::optional<std::chrono::seconds> timeout = {}) = 0;
};

}  // namespace ulnet::ctl
