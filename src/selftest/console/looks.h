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

/// The looks at one member: whether the console awaits its answer, and an answer that the console
/// has not reported yet.
struct Look {
  bool under_way = false;
  std::optional<RpcReply> answer;
  std::optional<std::uint64_t> own_rpcs;  ///< at the time of the answer
};

struct LookAsked {
  /// How long to wait for the nodes that this look asks; 0: until each has answered or was given
  /// up after `patience`.
  Duration wait = std::chrono::milliseconds(500);
  Duration patience = kReplyTimeout;  ///< the console gives up an answer after this time
};

/// Asks `members` for their counters (QUERY_STAT), except members whose answer to an earlier look
/// has not come. Calls `done` when all members that it asked have answered, or when `asked.wait`
/// has passed. The next look reports answers that come later. Calls `own_rpcs(member)` when the
/// answer of that member comes. If it asks no member, it calls `done` at once, otherwise never
/// before it returns.
void look_at(Surroundings& surroundings, const SessionPtr& session, const Members& members,
             const LookAsked& asked,
             const std::function<std::optional<std::uint64_t>(const Member&)>& own_rpcs,
             std::function<void(std::vector<Seen>)> done);

/// Returns the members that are not known to be silent: no look awaits an answer from them.
Members heard_of(const Members& members);

}  // namespace ulnet::svc::selftest::console
