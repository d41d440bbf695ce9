// The state of the selftest's console as JSON (docs/CONTROL-API.md, /v1/lst).
#pragma once

#include <nlohmann/json.hpp>

#include "admin/server/reply.h"
#include "selftest/console/console.h"

namespace ulnet::node::control {

Json lst_session(const svc::selftest::console::SessionShown& session);
/// Returns {"operation": ..., "nodes": [{"id": ..., "state": ..., "errno": -110, "status": 16,
/// ...}]}. A node has `errno` if the RPC failed, and `status` if the node refused. The fields of
/// the node's reply follow.
Json lst_nodes(wire::LstService operation, const svc::selftest::console::NodeResults& results);
/// Returns the tree of lst_nodes(), with "rpcs" at the entry of the console's own node
/// (console/looks.h).
Json lst_seen(const std::vector<svc::selftest::console::Seen>& all);
/// Returns the tree of lst_nodes(), with "ulnet" and "latency" at each node; "latency" is {"rpcs",
/// "p50_ns", "p99_ns", "p999_ns"} or null. "told" is the number of nodes that have a latency. "all"
/// has the same figures over all those nodes, or is null.
Json lst_latencies(const std::vector<svc::selftest::console::ClientLatency>& clients);
/// Each function returns a group, a batch or a test of a batch, with the states of its nodes.
Json lst_group(const svc::selftest::console::Group& group);
Json lst_batch(const svc::selftest::console::Batch& batch);
Json lst_test(const svc::selftest::console::Test& test);

}  // namespace ulnet::node::control
