// Which peer NIs a node has entries of: those with which it has exchanged a message since an
// administrator last deleted them, or their net, those that it was told of, and no others once
// nothing is under way. Source: spec/core-semantics.md 8.8, spec/multirail.md 1, 2.1, 2.2, 4.4, 7.
#pragma once

#include <set>

#include "sim/checkers/peers_before.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PeersMet final : public Checker {
 public:
  PeersMet() : Checker("peers were met", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// Per shard.
  struct Record {
    PerMessage<Nid> sent;   ///< the peer NI of each message that is with a driver
    std::set<Nid> reached;  ///< a message was sent to them
    std::set<Nid> met;      ///< had an entry at the last look, and a message was exchanged
    PeersBefore before;     ///< of the control shard
  };
  /// Per node: source NIDs of messages that arrived.
  using Heard = std::set<Nid>;
  static void look_for_lost(const ShardStep& step, Record& record);
  static void forget_what_left(const ShardStep& step, Record& record);
  static bool was_told(const World& world, const SimNode& node, const core::PeerNi& ni,
                       std::uint32_t shard);
  void look(World& world, const SimNode& node, const core::ShardState& state, Record& record);

  PerNode<Record> records_;
  PerNode<Heard> heard_;
};

}  // namespace ulnet::sim
