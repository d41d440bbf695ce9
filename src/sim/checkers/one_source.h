// A peer without multi-rail always sees the same NI of a node: the one by which the node's first
// message to it left, until a caller names another NI, or that NI or the peer's entry is deleted.
// Source: spec/multirail.md 3.1, 3.4.
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

  /// The NI that the peer of the message begun in this step has seen so far; 0: none.
  core::NiId before_;
};

}  // namespace ulnet::sim
