// A node has an entry of a peer NI if it has exchanged a message with the peer NI since an
// administrator last deleted it, or its net, or if a peer has reported it. When nothing is under
// way, it has no other entries. Source: spec/core-semantics.md 8.8, spec/multirail.md 1, 2.1, 2.2,
// 4.4, 7.
#pragma once

#include <set>

#include "sim/checkers/peers_before.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PeersMet final : public Checker {
 public:
  PeersMet() : Checker("no stray peer entries", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// The record of a shard.
  struct Record {
    PerMessage<Nid> sent;   ///< the peer NI of each message that a driver has
    std::set<Nid> reached;  ///< NIDs to which a message was sent
    std::set<Nid> met;      ///< NIDs that had an entry at the last look, and exchanged a message
    PeersBefore before;     ///< kept for the control shard
  };
  /// Per node: source NIDs of messages that arrived.
  using Heard = std::set<Nid>;
  static void look_for_lost(const ShardStep& step, Record& record);
  static void forget_removed(const ShardStep& step, Record& record);
  static bool has_reported_status(const World& world, const SimNode& node, const core::PeerNi& ni,
                                  std::uint32_t shard);
  void look(World& world, const SimNode& node, const core::ShardState& state, Record& record);

  PerNode<Record> records_;
  PerNode<Heard> heard_;
};

}  // namespace ulnet::sim
