// Looks at nodes again and again, of which some may be silent: who answers does not wait for who
// does not. Source: docs/DOOR.md (look).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "svc/selftest/console/transaction.h"

namespace ulnet::svc::selftest::console {

/// What a look found out of one node. `result.error` is -EINPROGRESS while its answer is awaited.
struct Seen {
  NodeResult result;
  /// Of the console's own node, where it is a client: how many RPCs of the batch's tests had ended
  /// well when it answered.
  std::optional<std::uint64_t> own_rpcs;
};

/// Of one member: what is under way, and the answer that nobody has been told yet.
struct Look {
  bool under_way = false;
  std::optional<RpcReply> answer;
  std::optional<std::uint64_t> own_rpcs;  ///< with it
};

struct LookAsked {
  /// For those that are asked in this look; 0: until all have answered or been given up.
  Duration wait = std::chrono::milliseconds(500);
  Duration patience = kPatience;  ///< until an answer is given up
};

/// Asks those of `members` for their counters (QUERY_STAT) whose answer to an earlier look is not
/// awaited any more, and calls `done` when they have answered, or `asked.wait` has passed. What
/// comes later the next look tells. `own_rpcs` is called when this node's own answer comes. With
/// nobody to ask `done` is called at once; else never in here.
void look_at(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             const LookAsked& asked,
             const std::function<std::optional<std::uint64_t>(const Member&)>& own_rpcs,
             std::function<void(std::vector<Seen>)> done);

/// Members that are not known to be silent: none of their answers to a look is overdue.
Members heard_of(const Members& members);

}  // namespace ulnet::svc::selftest::console
