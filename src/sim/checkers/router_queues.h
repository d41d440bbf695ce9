// The queues of a router in which messages wait for a router credit or a buffer, for 'credits in
// turn': the message that has waited longest is served first. Source: spec/core-semantics.md 10.3.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lnet/core/contract/ports.h"
#include "lnet/core/flow/step.h"

namespace ulnet::sim {

/// The queues of one shard.
class RouterQueues {
 public:
  /// What is wrong after this step; empty: nothing.
  std::string look(const core::ShardState& state);

 private:
  using Waiting = std::vector<core::MsgTicket>;
  static std::string compare(const core::ShardState& state, const Waiting& before,
                             const Waiting& now);

  std::map<std::string, Waiting> queues_;  ///< the queues after the last step, by their names
};

}  // namespace ulnet::sim
