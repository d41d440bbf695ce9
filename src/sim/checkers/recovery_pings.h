// Recovery: an NI that is unhealthy and can be pinged is in recovery and stays there; a healthy one
// is not pinged. There are never two pings of one NI under way; a ping goes to the NI's NID and is
// sent once. A message from a peer NI raises its health once, and its pings then count from 0. A
// peer NI that has left recovery because of `recovery_limit` stays out until a message comes from
// it, even if the limit has changed by then. Source: spec/multirail.md 5.2, 7.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/delayed_arrivals.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class RecoveryPings final : public Checker {
 public:
  RecoveryPings() : Checker("recovery pings", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// A recovery record before the step.
  struct Before {
    core::RecoveryPhase phase = core::RecoveryPhase::kNone;
    std::int32_t health = 0;
    std::int64_t next_ping = 0;
    bool beside_router = false;
  };
  /// The record of a shard.
  struct Record {
    /// The peer NIs that an earlier recovery_limit has kept from recovery, each with the time of
    /// its last message.
    std::map<Nid, Instant> aged_out;
    DelayedArrivals delayed;
  };
  void note_aged_out(const ShardStep& step);
  void look_at_ping(World& world, const ShardStep& step, const core::InRecovery& record,
                    bool go_on);
  void look_at_peer_ni(World& world, const ShardStep& step, const core::InRecovery& record,
                       const Before& before, bool go_on);
  void look_at_shard(World& world, const SimNode& node, const core::ShardState& state,
                     std::uint32_t shard);

  std::vector<std::pair<Handle, Before>> before_;
  PerNode<Record> records_;
};

}  // namespace ulnet::sim
