// The path that a shard would explain for a NID is the path of a user's next request to that NID:
// the same NI, and the same NID of the peer or of the router. When the shard explains that there is
// no path, the request has none. Source: spec/multirail.md 3, DESIGN.md 6.
#pragma once

#include <optional>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PathExplained final : public Checker {
 public:
  PathExplained() : Checker("path as explained", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// The explanation before the step that begins the request; nothing: there is no explanation.
  std::optional<core::call::ExplainPath> explained_;
};

}  // namespace ulnet::sim
