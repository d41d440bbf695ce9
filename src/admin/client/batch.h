// Changes that are requested together, so that the node takes them into use together. Source:
// docs/CONTROL-API.md (/v1/batch).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "admin/client/control_api.h"

namespace ulnet::ctl {

/// The node's answer to one change.
struct BatchAnswer {
  Result<void> result;
  std::string hint;  ///< a hint for the user; may be empty
};

/// Collects requests to the control API instead of sending them. Each request succeeds with an
/// empty answer, and gets its real answer after send(). Requests that show something are refused
/// (-EINVAL).
class Batch final : public ControlApi {
 public:
  Batch();
  ~Batch() override;

  std::size_t size() const;
  /// Sends all requests. Returns an answer for each request, in their order, or the error of the
  /// whole batch. After an error the node has not done any of them, except perhaps after
  /// -ECONNRESET.
  Result<std::vector<BatchAnswer>> send(ControlApi& node) const;

  Result<Tree> get(const std::string& path) override;
  Result<std::string> get_text(const std::string& path) override;

 private:
  Result<Tree> change(const std::string& method, const std::string& path, const Tree& body,
                      std::optional<std::chrono::seconds>) override;
  std::unique_ptr<Tree> requests_;
};

}  // namespace ulnet::ctl
