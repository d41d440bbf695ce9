// The messages of a shard that delay rules hold, ordered by the time at which they are released.
// Source: spec/multirail.md 11.3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/shard_timer.h"

namespace ulnet::core {

/// Holds tickets, not messages. A message can end before its release; its ticket then finds
/// nothing.
class FaultHolds {
 public:
  ShardTimer timer{TimerKind::kDelay};  ///< the code that changes this object arms it for next()

  /// Adds a message that is released at `due`. `rule`: the number of the rule that delays the
  /// message.
  void add(MsgTicket msg, Instant due, std::uint64_t rule) {
    held_.emplace(std::pair{due, ++last_}, Held{msg, rule});
  }
  std::size_t size() const { return held_.size(); }
  /// Returns when the next message is released; kNever: no message is held.
  Instant next() const { return held_.empty() ? kNever : held_.begin()->first.first; }
  /// Removes the messages that are due, and those that one of `rules` delays. Returns them in the
  /// order of their times.
  std::vector<MsgTicket> take(Instant now, const std::vector<std::uint64_t>& rules = {}) {
    std::vector<MsgTicket> taken;
    for (auto it = held_.begin(); it != held_.end();) {
      const bool due = it->first.first <= now;
      if (!due && rules.empty()) break;
      const bool freed = std::find(rules.begin(), rules.end(), it->second.rule) != rules.end();
      if (due || freed) taken.push_back(it->second.msg);
      it = due || freed ? held_.erase(it) : std::next(it);
    }
    return taken;
  }

 private:
  struct Held {
    MsgTicket msg;
    std::uint64_t rule = 0;
  };
  // Messages with equal times are in the order in which add() got them.
  std::map<std::pair<Instant, std::uint64_t>, Held> held_;
  std::uint64_t last_ = 0;
};

}  // namespace ulnet::core
