// No message waits on a lazy portal while a buffer for it exists: on its shard, and, when no
// inter-shard message is under way, on any shard. Waiting messages are served in the order in which
// they came to the portal's owner shard. A message also fits a buffer for another NID of its peer,
// from the step in which the owner shard learns of that NID. Source: spec/core-semantics.md 3, 4.3,
// 7.1, 18.10.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class LazyServed final : public Checker {
 public:
  LazyServed() : Checker("lazy portals served", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// The order in which waiting messages joined their portal's queue, by their tickets on the
  /// shard where they arrived.
  struct Record {
    PerMessage<std::uint64_t> place;
    std::uint64_t came = 0;
  };
  void note_queue(const ShardStep& step, Record& record);
  void in_order(World& world, const ShardStep& step, Record& record);
  void beside_each_other(World& world, const SimNode& node, const core::ShardState& state);
  void between_shards(World& world, const SimNode& node);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
