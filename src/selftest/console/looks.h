// Asks nodes for their counters repeatedly. The answers of some nodes may be missing; the others do
// not wait for them. Source: docs/CONTROL-API.md (look).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "selftest/console/transaction.h"

namespace ulnet::svc::selftest::console {

/// What a look found out about one node. `result.error` is -EINPROGRESS while its answer has not
/// come.
struct Seen {
  NodeResult result;
  /// For the console's own node, if it is a client: how many RPCs of the batch's tests had ended
  /// well when the node answered.
  std::optional<std::uint64_t> own_rpcs;
};

/// The looks at one member: whether its answer is awaited, and the answer that no look has reported
/// yet.
struct Look {
  bool under_way = false;
  std::optional<RpcReply> answer;
  std::optional<std::uint64_t> own_rpcs;  ///< at the time of the answer
};

struct LookAsked {
  /// How long to wait for the nodes that this look asks; 0: until each has answered or was given
  /// up.
  Duration wait = std::chrono::milliseconds(500);
  Duration patience = kReplyTimeout;  ///< after which an answer is given up
};

/// Asks `members` for their counters (QUERY_STAT), except those whose answer to an earlier look is
/// still awaited. Calls `done` when all that were asked have answered, or `asked.wait` has passed;
/// the next look reports answers that come later. Calls `own_rpcs(member)` when that member's
/// answer comes. If nobody is asked, `done` is called at once, otherwise never before this returns.
void look_at(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             const LookAsked& asked,
             const std::function<std::optional<std::uint64_t>(const Member&)>& own_rpcs,
             std::function<void(std::vector<Seen>)> done);

/// The members that are not known to be silent: no answer of theirs to a look is awaited.
Members heard_of(const Members& members);

}  // namespace ulnet::svc::selftest::console
