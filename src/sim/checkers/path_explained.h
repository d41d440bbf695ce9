// What a shard would explain of the path to a NID is the path that the next request of a user there
// takes: the same NI, and the same NID of the peer or of the router; and it has none where none was
// explained. Source: spec/multirail.md 3, DESIGN.md 6.
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
  /// Before the step that begins the request; nothing: nothing is explained.
  std::optional<core::call::ExplainPath> explained_;
};

}  // namespace ulnet::sim
