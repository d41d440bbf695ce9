// The health of an NI: the control shard owns it, and when no inter-shard message is under way all
// shards have the control shard's value. Source: spec/multirail.md 5.1, shard_msg.h.

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class HealthAgrees final : public Checker {
 public:
  HealthAgrees() : Checker("partitions agree on health", 0) {}

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      const core::ShardState* control = node.shard_state(core::kControlShard);
      if (control != nullptr && node.shard_msgs() == 0) look_at(world, node, *control);
    }
  }

 private:
  void look_at(World& world, const SimNode& node, const core::ShardState& control) {
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t shard) {
      for (const core::LocalNi* ni : control.nis.configured()) {
        const core::LocalNi* seen = state.nis.find(ni->config.id);
        // The shard has not yet learned that this NI exists, or already knows that it is removed.
        if (seen == nullptr || seen->phase != core::NiPhase::kUp) continue;
        if (seen->health == ni->health && seen->health_down == ni->health_down) continue;
        violation(world, &node, "{}: partition {} sees health {}, it is {}", ni->nid(), shard,
                  seen->health, ni->health);
      }
    });
  }
};

}  // namespace

std::unique_ptr<Checker> health_agrees_checker() { return std::make_unique<HealthAgrees>(); }

}  // namespace ulnet::sim
