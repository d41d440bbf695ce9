// The health of a node, judged by the answers of its control API: for `ulnetctl status`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "admin/client/control_api.h"

namespace ulnet::ctl {

enum class Health { kOk, kWarning, kError };
/// Returns "OK", "WARNING" or "ERROR".
const char* to_string(Health health);

/// A reason why the health is not OK.
struct HealthReason {
  Health health;     ///< how bad it is
  std::string what;  ///< for the user, without a full stop
  std::string
      command;  ///< a command of ulnetctl without the program's name; it shows more, or is the cure
};

struct NodeHealth {
  std::string summary;                ///< "2 network interfaces, 3 peers, 4 routes"
  std::vector<HealthReason> reasons;  ///< the worst first
  /// Returns the health of the worst reason.
  Health health() const { return reasons.empty() ? Health::kOk : reasons.front().health; }
};

/// The answers of GET /v1/net, /v1/peer, /v1/route, /v1/routing, /v1/recovery and /v1/fault
/// (docs/CONTROL-API.md).
struct HealthTrees {
  Tree net, peer, route, routing, recovery, fault;
};

/// Judges the health of a node. Reports a fault that explains other faults, instead of those: if a
/// gateway is the reason why a route is down, the reasons say nothing else about that gateway.
NodeHealth health_of(const HealthTrees& trees);

/// Requests the answers from the node, and judges its health. If LNet is not configured, the health
/// has a reason that says so. An error is that of a request.
Result<NodeHealth> ask_health(ControlApi& api);

}  // namespace ulnet::ctl
