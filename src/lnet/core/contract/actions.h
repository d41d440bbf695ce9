// What a step of a shard returns to its host. Source: DESIGN.md 2, 3.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "lnet/core/contract/ports.h"
#include "lnet/core/contract/shard_msg.h"

namespace ulnet::core {

/// The actions of a step, in their order, and the inter-shard messages and Dones to which some of
/// them point. A step appends actions; the host carries them out and clears them. Inter-shard
/// messages are stored apart, since they are larger than any action and most steps send none. Dones
/// are stored apart because they own memory and are rare. The memory of actions and inter-shard
/// messages is kept from step to step, so an inter-shard message allocates nothing except its lists
/// of NIDs. Not thread-safe.
class Actions : public std::vector<Action> {
 public:
  using std::vector<Action>::vector;
  using std::vector<Action>::emplace_back;
  /// Stores `done`, and appends the CallDone that points to it.
  void emplace_back(std::in_place_type_t<Done>, Done&& done) {
    dones_.push_back(std::make_unique<Done>(std::move(done)));
    emplace_back(std::in_place_type<CallDone>, dones_.back().get());
  }

  /// Returns the inter-shard message for the next ToShard. Its body is left over from an earlier
  /// step; the caller overwrites it. The reference is valid until clear().
  ShardMsg& next_shard_msg() {
    if (written_ == shard_msgs_.size()) shard_msgs_.push_back(std::make_unique<ShardMsg>());
    return *shard_msgs_[written_++];
  }
  void clear() {
    std::vector<Action>::clear();
    written_ = 0;
    if (!dones_.empty()) dones_.clear();
  }

 private:
  std::vector<std::unique_ptr<ShardMsg>> shard_msgs_;  // the first `written_` are of this step
  std::size_t written_ = 0;
  std::vector<std::unique_ptr<Done>> dones_;
};

}  // namespace ulnet::core
