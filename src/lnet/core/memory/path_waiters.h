// Messages for which no path can be chosen yet. They wait in the shard where they begin, and hold
// no credit. Source: spec/multirail.md 3.5, DESIGN.md 3.
#pragma once

#include <map>

#include "lnet/core/memory/message.h"

namespace ulnet::core {

class PathWaiters {
 public:
  /// Lets a message whose path is out of date wait for the configuration `generation`, with which a
  /// new path is chosen.
  void wait_for_config(Msg& msg, std::uint64_t generation);
  /// Lets a message wait until the peer of its target is discovered. The shard has asked the
  /// control shard for this discovery; the control shard answers every request.
  void wait_for_discovery(Msg& msg);
  /// Removes a waiting message from its queue.
  void leave(Msg& msg);

  const MsgQueue& for_config() const { return config_; }
  /// The queues of the messages that wait for a discovery, by target NID. No queue is empty.
  const std::map<Nid, MsgQueue>& for_discovery() const { return discovery_; }

 private:
  MsgQueue config_;                    ///< in state kConfigQueue
  std::map<Nid, MsgQueue> discovery_;  ///< in state kDiscovery
};

}  // namespace ulnet::core
