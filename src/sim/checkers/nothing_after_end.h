// A node that is down or paused takes no step, and one that has stopped only serves calls and
// timers. An NI that was removed sends nothing more. A message of an earlier incarnation changes
// nothing in a later one. Source: DESIGN.md 6, spec/wire-lnet.md 2.5.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class NothingAfterEnd final : public Checker {
 public:
  NothingAfterEnd() : Checker("nothing after the end", kAfterStep | kEvents | kMemory) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_event(World& world, SimNode& node, const core::Post& post) override;
  void on_memory(World& world, SimNode& node, const iovec& memory, bool written) override;

 private:
  void old_answer(World& world, const ShardStep& step);
};

}  // namespace ulnet::sim
