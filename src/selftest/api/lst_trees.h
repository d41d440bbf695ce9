// The state of the selftest's console as JSON (docs/CONTROL-API.md, /v1/lst).
#pragma once

#include <nlohmann/json.hpp>

#include "admin/server/reply.h"
#include "selftest/console/console.h"

namespace ulnet::node::control {

Json lst_session(const svc::selftest::console::SessionShown& session);
/// {"operation": ..., "nodes": [{"id": ..., "state": ..., "errno": -110, "status": 16, ...}]}:
/// `errno` if the RPC failed, `status` if the node refused; then what the node's reply contained.
Json lst_nodes(wire::LstService operation, const svc::selftest::console::NodeResults& results);
/// The same tree, with "rpcs" at the entry of the console's own node (console/looks.h).
Json lst_seen(const std::vector<svc::selftest::console::Seen>& all);
/// The same tree, with "ulnet" and "latency" at each node, {"rpcs", "p50_ns", "p99_ns", "p999_ns"}
/// or null; "told": how many nodes have a latency; "all": the same figures over all of those, or
/// null.
Json lst_latencies(const std::vector<svc::selftest::console::ClientLatency>& clients);
/// A group, a batch, a test of a batch, each with the states of its nodes.
Json lst_group(const svc::selftest::console::Group& group);
Json lst_batch(const svc::selftest::console::Batch& batch);
Json lst_test(const svc::selftest::console::Test& test);

}  // namespace ulnet::node::control
