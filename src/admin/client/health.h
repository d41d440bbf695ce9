// How well a node is, judged by what its control door shows: for `ulnetctl status`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "admin/client/door.h"

namespace ulnet::ctl {

enum class Health { kOk, kWarning, kError };
/// "OK", "WARNING", "ERROR"
const char* to_string(Health health);

/// Something that is not as it should be.
struct HealthReason {
  Health health;     ///< how bad it is
  std::string what;  ///< for people, without a full stop
  std::string
      command;  ///< of ulnetctl's, without the program's name: it tells more, or is the cure
};

struct NodeHealth {
  std::string summary;                ///< "2 network interfaces, 3 peers, 4 routes"
  std::vector<HealthReason> reasons;  ///< the worst first
  /// That of the worst reason.
  Health health() const { return reasons.empty() ? Health::kOk : reasons.front().health; }
};

/// The answers of GET /v1/net, /v1/peer, /v1/route, /v1/routing, /v1/recovery and /v1/fault
/// (docs/DOOR.md).
struct HealthTrees {
  Tree net, peer, route, routing, recovery, fault;
};

/// A fault that explains others stands for them: of a gateway that is the reason why a route is
/// down, nothing else is said.
NodeHealth health_of(const HealthTrees& trees);

/// Asks the node, and judges. A node in which LNet is not configured is a reason; an error is that
/// of a request.
Result<NodeHealth> ask_health(Door& door);

}  // namespace ulnet::ctl
