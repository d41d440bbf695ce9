#include "selftest/api/lst_trees.h"

#include "lnet/base/printable.h"

namespace ulnet::node::control {

using namespace svc::selftest::console;

namespace {

Json counts(const Members& members) {
  const StateCounts states = count_states(members);
  return {{"active", states.active},
          {"busy", states.busy},
          {"down", states.down},
          {"unknown", states.unknown},
          {"total", states.total}};
}

Json nodes(const Members& members) {
  Json list = Json::array();
  for (const MemberPtr& member : members)
    list.push_back({{"id", member->id.to_string()}, {"state", to_string(member->state)}});
  return list;
}

Json counters(const wire::LstStatReply& stat) {
  return {{"running_ms", stat.framework.running_ms},
          {"active_batches", stat.framework.active_batches},
          {"zombie_sessions", stat.framework.zombie_sessions},
          {"brw_errors", stat.framework.brw_errors},
          {"ping_errors", stat.framework.ping_errors},
          {"rpc_errors", stat.rpc.errors},
          {"rpc_sent", stat.rpc.sent},
          {"rpc_received", stat.rpc.received},
          {"rpc_dropped", stat.rpc.dropped},
          {"rpc_expired", stat.rpc.expired},
          {"bulk_get_bytes", stat.rpc.bulk_fetched},
          {"bulk_put_bytes", stat.rpc.bulk_sent},
          {"send_count", stat.lnet.send_count},
          {"recv_count", stat.lnet.recv_count},
          {"route_count", stat.lnet.route_count},
          {"drop_count", stat.lnet.drop_count},
          {"send_length", stat.lnet.send_length},
          {"recv_length", stat.lnet.recv_length},
          {"route_length", stat.lnet.route_length},
          {"drop_length", stat.lnet.drop_length}};
}

Json percentiles(const svc::selftest::Latency& latency) {
  return {{"rpcs", latency.count()},
          {"failed", latency.failed()},
          {"p50_ns", latency.within(500).count()},
          {"p99_ns", latency.within(990).count()},
          {"p999_ns", latency.within(999).count()}};
}

/// Adds the fields of a reply besides its status, for the services whose replies have some.
void add_details(const NodeResult& result, Json& node) {
  if (const auto* debug = result.as<wire::LstDebugReply>()) {
    node["session_name"] = text::printable(debug->name.text());
    node["session_nid"] = debug->session.console.to_string();
  } else if (const auto* batch = result.as<wire::LstBatchReply>()) {
    node["active"] = batch->active;
  } else if (const auto* stat = result.as<wire::LstStatReply>(); stat && stat->status == 0) {
    node["counters"] = counters(*stat);
  }
}

}  // namespace

Json lst_session(const SessionShown& session) {
  return {{"name", session.name},
          {"stamp", session.id.stamp},
          {"nid", session.id.console.to_string()},
          {"key", session.key},
          {"features", session.features},
          {"timeout", session.timeout},
          {"force", session.force},
          {"nodes", session.nodes}};
}

Json lst_nodes(wire::LstService operation, const NodeResults& results) {
  Json list = Json::array();
  for (const NodeResult& result : results) {
    Json node = {{"id", result.member->id.to_string()},
                 {"state", to_string(result.member->state)},
                 {"errno", result.error},
                 {"status", result.status}};
    add_details(result, node);
    list.push_back(std::move(node));
  }
  return {{"operation", wire::to_string(operation)}, {"nodes", std::move(list)}};
}

Json lst_seen(const std::vector<Seen>& all) {
  NodeResults results;
  for (const Seen& seen : all) results.push_back(seen.result);
  Json tree = lst_nodes(wire::LstService::kStat, results);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].own_rpcs) tree["nodes"][i]["rpcs"] = *all[i].own_rpcs;
  return tree;
}

Json lst_latencies(const std::vector<ClientLatency>& clients) {
  NodeResults results;
  svc::selftest::Latency all;
  std::size_t with_latency = 0;
  for (const ClientLatency& client : clients) {
    results.push_back(client.result);
    if (!client.latency) continue;
    all.add(*client.latency);
    ++with_latency;
  }
  Json tree = lst_nodes(wire::LstService::kStat, results);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    Json& node = tree["nodes"][i];
    node["ulnet"] = clients[i].ulnet;
    node["latency"] = clients[i].latency ? percentiles(*clients[i].latency) : Json();
    node.erase("counters");
  }
  tree["told"] = with_latency;
  tree["all"] = with_latency != 0 ? percentiles(all) : Json();
  return tree;
}

Json lst_group(const Group& group) {
  return {{"name", group.name}, {"counts", counts(group.members)}, {"nodes", nodes(group.members)}};
}

Json lst_test(const Test& test) {
  const Members clients = members_of(test.clients), servers = members_of(test.servers);
  const bool forever = test.spec.loop == wire::kLstLoopForever;
  return {{"type", wire::to_string(test.spec.service)},
          {"loop", forever ? -1 : static_cast<std::int64_t>(test.spec.loop)},
          {"concurrency", test.spec.concurrency},
          {"client", counts(clients)},
          {"server", counts(servers)},
          {"client_nodes", nodes(clients)},
          {"server_nodes", nodes(servers)}};
}

Json lst_batch(const Batch& batch) {
  Json tests = Json::array();
  for (const Test& test : batch.tests) tests.push_back(lst_test(test));
  const Members clients = batch.clients(), servers = batch.servers();
  return {{"name", batch.name},
          {"state", batch.run},
          {"client", counts(clients)},
          {"server", counts(servers)},
          {"client_nodes", nodes(clients)},
          {"server_nodes", nodes(servers)},
          {"tests", std::move(tests)}};
}

}  // namespace ulnet::node::control
