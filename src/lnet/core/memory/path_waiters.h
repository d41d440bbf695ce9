// Messages for which no path can be chosen yet. They wait in the shard where they begin, and hold
// no credit. Source: spec/multirail.md 3.5, DESIGN.md 3.
#pragma once

#include <map>

#include "lnet/core/memory/message.h"

namespace ulnet::core {

class PathWaiters {
 public:
  /// The path of the message was out of date: it waits for the configuration `generation`, with
  /// which a new path is chosen.
  void wait_for_config(Msg& msg, std::uint64_t generation);
  /// The message waits until the peer of its target is discovered, for which its shard has asked
  /// the control shard. The control shard answers every request.
  void wait_for_discovery(Msg& msg);
  /// Removes a waiting message from its queue.
  void leave(Msg& msg);

  const MsgQueue& for_config() const { return config_; }
  /// The queues by the NID for which they wait; no queue is empty.
  const std::map<Nid, MsgQueue>& for_discovery() const { return discovery_; }

 private:
  MsgQueue config_;                    ///< in state kConfigQueue
  std::map<Nid, MsgQueue> discovery_;  ///< in state kDiscovery
};

}  // namespace ulnet::core
