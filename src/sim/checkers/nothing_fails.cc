#include "sim/checkers/nothing_fails.h"

#include "sim/world/world.h"

namespace ulnet::sim {

void NothingFails::after_step(World& world, const ShardStep& step) {
  const auto* done = std::get_if<core::SendDone>(&step.input);
  if (done == nullptr || !step.node.up() || done->status == 0 || done->status == -ECANCELED) return;
  violation(world, &step.node,
            "a message failed with " + std::to_string(done->status) + ", " +
                core::to_string(done->health) + ", though nothing was broken");
}

}  // namespace ulnet::sim
