// No message and no operation fails: for worlds without faults, whose time-outs are long enough. It
// is not in all.h, since messages do fail in other worlds.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class NothingFails final : public Checker {
 public:
  NothingFails() : Checker("nothing fails", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
};

}  // namespace ulnet::sim
