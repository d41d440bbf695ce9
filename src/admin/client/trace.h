// `ulnetctl trace`: the path that a message would take to a NID, and how far along it nodes answer.
// All findings come from this node (its choice of a path, its routes, its peers) and from pings,
// which production nodes answer as ulnet's do. No request returns the routes of another node, so
// routers behind the first are known only if this node has met them or its user names them. Source:
// spec/multirail.md 9.3, 9.5, 9.7.
#pragma once

#include <cstdint>
#include <vector>

#include "admin/client/lnetconfig.h"

namespace ulnet::ctl {

struct TraceRequest {
  Nid to;
  std::vector<Nid> via{};  ///< routers behind the first one, in the order of the path
  std::int64_t timeout_ms = 1000;
};

/// Returns {"trace": {"to": NID, "rule": …, "errno": …, "descr": …, "hops": [{"nid": …, "role":
/// "router", "answers": true, "rtt_us": 310, "health value": 1000, "nids": […], "not taken":
/// [{"gateway": …, "why": …}]}, …], "found": ["a sentence", …], "answers": true}}. `role` is
/// "target", "router", or "perhaps": a node of which this node only knows that it is on the nets in
/// question. If this node has no path, the tree has `errno` and `descr`.
Result<Tree> trace(LnetConfig& lnet, const TraceRequest& request);

}  // namespace ulnet::ctl
