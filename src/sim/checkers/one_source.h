// A peer without multi-rail always sees the same NI of a node: the one that its first message left
// by, until a caller names another, that NI goes, or the peer's entry does. Source:
// spec/multirail.md 3.1, 3.4.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class OneSource final : public Checker {
 public:
  OneSource() : Checker("one source for a peer", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  void look_far(World& world, const ShardStep& step, const Nid& target, core::NiId ni);

  core::NiId before_;  ///< what the peer that the step begins a message to saw so far; 0: nothing
};

}  // namespace ulnet::sim
