// Where a node of several partitions looks for a message's buffer: first on the shard that the
// portal rotor and the hash of NIDs name, then in turn on the shards that have buffers. Source:
// spec/core-semantics.md 3, 7.3, 13.2, docs/PARTITIONS.md.
#pragma once

#include <map>
#include <vector>

#include "lnet/core/contract/placement.h"
#include "sim/checkers/delayed_arrivals.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class BuffersInTurn final : public Checker {
 public:
  BuffersInTurn() : Checker("buffers in turn", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  /// A message for which its portal's owner shard has asked another shard for a buffer.
  struct Asked {
    Portal portal;
    Nid primary;             ///< primary NID of the peer that sent the message
    core::ShardSet nothing;  ///< shards that found no buffer
    std::uint64_t seen = 0;  ///< Msg::seen; when it has changed, all shards are asked again
  };
  /// What the checker knows at a portal's owner shard. `passed[s]`: the shards that were asked
  /// since shard s could have been asked, while s was not asked.
  struct Owner {
    core::ShardSet have;  ///< other shards that are known to have buffers
    std::vector<core::ShardSet> passed;
  };
  struct Record {
    /// The last choice of the round robin, by portal.
    std::map<std::uint32_t, std::uint32_t> last_first;
    std::map<std::uint32_t, Owner> owners;
    PerMessage<Asked> asked;
    DelayedArrivals delayed;
  };
  void look_first(World& world, const ShardStep& step, Record& record);
  void learn(const ShardStep& step, Record& record);
  void look_on(World& world, const ShardStep& step, Record& record, bool again);
  void offered(World& world, const ShardStep& step, Owner& owner, const Asked& asked,
               std::uint32_t to, const core::ShardSet& could);

  PerNode<Record> records_;
  std::uint64_t dropped_unseen_ = 0;  ///< the count before the current step
};

}  // namespace ulnet::sim
