// The health of an NI: the control shard owns it, and when no inter-shard message is under way all
// shards have the control shard's value. Source: spec/multirail.md 5.1, shard_msg.h.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class HealthAgrees final : public Checker {
 public:
  HealthAgrees() : Checker("partitions agree on health", 0) {}
  void check_all(World& world) override;

 private:
  void look_at(World& world, const SimNode& node, const core::ShardState& control);
};

}  // namespace ulnet::sim
