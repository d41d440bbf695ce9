#include "sim/checkers/health_agrees.h"

#include "lnet/core/flow/step.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void HealthAgrees::check_all(World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    const SimNode& node = world.node(i);
    const core::ShardState* control = node.shard_state(core::kControlShard);
    if (control != nullptr && node.shard_msgs() == 0) look_at(world, node, *control);
  }
}

void HealthAgrees::look_at(World& world, const SimNode& node, const core::ShardState& control) {
  for_each_shard(node, [&](const core::ShardState& state, std::uint32_t shard) {
    for (const core::LocalNi* ni : control.nis.configured()) {
      const core::LocalNi* seen = state.nis.find(ni->config.id);
      // The shard has not yet learned that this NI exists, or already knows that it is removed.
      if (seen == nullptr || seen->phase != core::NiPhase::kUp) continue;
      if (seen->health == ni->health && seen->health_down == ni->health_down) continue;
      violation(world, &node,
                ni->nid().to_string() + ": partition " + std::to_string(shard) + " sees health " +
                    std::to_string(seen->health) + ", it is " + std::to_string(ni->health));
    }
  });
}

}  // namespace ulnet::sim
