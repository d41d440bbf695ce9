// Changes that are asked for in one request, so that the node takes them into use together.
// Source: docs/DOOR.md (/v1/batch).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "admin/client/door.h"

namespace ulnet::ctl {

/// The node's answer to one change.
struct BatchAnswer {
  Result<void> result;
  std::string hint;  ///< for people; may be empty
};

/// A door that keeps requests instead of sending them: each succeeds with an empty answer, and has
/// its real one after send(). Requests that show something are refused (-EINVAL).
class Batch final : public Door {
 public:
  Batch();
  ~Batch() override;

  std::size_t size() const;
  /// Sends all of them. An answer for each, in their order; or the error of the request as a whole,
  /// of which the node has then done nothing, unless it is -ECONNRESET.
  Result<std::vector<BatchAnswer>> send(Door& node) const;

  Result<Tree> get(const std::string& path) override;
  Result<std::string> get_text(const std::string& path) override;
  Result<Tree> post(const std::string& path, const Tree& body,
                    std::chrono::seconds patience = kPatience) override;
  Result<Tree> patch(const std::string& path, const Tree& body) override;
  Result<Tree> del(const std::string& path, const Tree& body) override;

 private:
  Result<Tree> keep(const char* method, const std::string& path, const Tree& body);
  std::unique_ptr<Tree> requests_;
};

}  // namespace ulnet::ctl
