// After its shutdown a node has nothing left, except what its users did not unlink. Source:
// DESIGN.md 6.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class MemoryReturned final : public Checker {
 public:
  MemoryReturned() : Checker("memory returned", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;

 private:
  struct Record {
    PerMessage<bool> mds;  ///< MDs of users
  };
  void stopped(World& world, const SimNode& node, const core::ShardState& state, Record& record);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
