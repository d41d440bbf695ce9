// A message is sent again only after failures that allow it, at most retry_count times, and not
// past the deadline of the first try; never while a driver has it, nor after it has left. The next
// path is chosen after the health of the failed one was lowered. Each message that another shard
// transmits exists there once. Source: spec/multirail.md 5.2, 5.3, shard_msg.h.
//
// A delay rule takes a message that has its credits and holds it; then the message goes on (11.3).
// The deadline counts at the time when the rule takes the message.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class SentAgain final : public Checker {
 public:
  SentAgain() : Checker("sent again as allowed", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// A message, by its ticket in the shard where it began.
  struct Message {
    bool with_driver = false;
    std::int32_t again = 0;  ///< how often it was sent again
    Instant deadline{};
    std::optional<Instant> held;  ///< since when a delay rule has held it
    // How the last Send ended.
    int status = 0;
    core::Health health = core::Health::kOk;
    bool begun = false;
  };
  struct Record {
    PerMessage<Message> messages;
    PerMessage<Handle> began;  ///< the key of `messages`, by the ticket that a driver has
    std::int32_t retry_count = 0;
  };
  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send);
  void note_held(const ShardStep& step, Record& record);
  void look_at_choice(World& world, const ShardStep& step, const core::Send& send);
  void look_at(World& world, const SimNode& node);

  PerNode<Record> records_;
  /// The health of the NIs before a step in which a fault rule may fail other messages: that may
  /// lower the health after the choice.
  std::map<core::NiId, std::int32_t> health_before_;
};

}  // namespace ulnet::sim
