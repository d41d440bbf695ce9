#include "admin/server/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr std::int32_t kFullHealth = 1000;

MetricFamily family(std::string name, std::string help, MetricType type) {
  MetricFamily made;
  made.name = std::move(name);
  made.help = std::move(help);
  made.type = type;
  return made;
}

void add(MetricFamily& to, Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  if (to.type == MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
  to.metric.push_back(std::move(metric));
}

double number(std::uint64_t value) { return static_cast<double>(value); }

class Families {
 public:
  void one(std::string name, std::string help, MetricType type, double value, Labels labels = {}) {
    MetricFamily made = family(std::move(name), std::move(help), type);
    add(made, std::move(labels), value);
    list_.push_back(std::move(made));
  }
  void keep(MetricFamily made) { list_.push_back(std::move(made)); }
  std::string text() const { return prometheus::TextSerializer().Serialize(list_); }

 private:
  std::vector<MetricFamily> list_;
};

void add_statistics(Families& to, const NodeState& state) {
  for (const auto& stat : core::kGlobalStats) {
    const std::string name = std::string("ulnet_") + stat.name + (stat.gauge ? "" : "_total");
    to.one(name, std::string("LNet statistics: ") + stat.name,
           stat.gauge ? MetricType::Gauge : MetricType::Counter,
           number(state.statistics.*stat.value));
  }
}

void add_directions(MetricFamily& to, const NiShow& ni, const char* direction,
                    const core::TypeCounts& counts) {
  for (const auto& type : core::kTypeCounts)
    add(to,
        {{"nid", ni.nid.to_string()},
         {"net", ni.net.to_string()},
         {"direction", direction},
         {"type", type.name}},
        number(counts.*type.value));
}

void add_nis(Families& to, const NodeState& state) {
  MetricFamily up = family("ulnet_ni_up", "1 when the interface is up", MetricType::Gauge);
  MetricFamily health = family("ulnet_ni_health", "health value, 0 to 1000", MetricType::Gauge);
  MetricFamily credits = family("ulnet_ni_credits", "send credits left", MetricType::Gauge);
  MetricFamily lowest =
      family("ulnet_ni_credits_min", "fewest send credits ever left", MetricType::Gauge);
  MetricFamily messages =
      family("ulnet_ni_messages_total", "messages by direction and type", MetricType::Counter);
  MetricFamily bytes =
      family("ulnet_ni_bytes_total", "payload bytes of messages by direction", MetricType::Counter);
  MetricFamily faults =
      family("ulnet_ni_faults_total", "health events by kind", MetricType::Counter);
  for (const NiShow& ni : state.nis) {
    const Labels who = {{"nid", ni.nid.to_string()}, {"net", ni.net.to_string()}};
    add(up, who, ni.up ? 1 : 0);
    if (!ni.nid.is_loopback()) {
      add(health, who, ni.stats.health_value);
      add(credits, who, ni.stats.credits);
      add(lowest, who, ni.stats.credits_min);
    }
    add_directions(messages, ni, "sent", ni.stats.traffic.sent);
    add_directions(messages, ni, "received", ni.stats.traffic.received);
    add_directions(messages, ni, "dropped", ni.stats.traffic.dropped);
    for (const auto& [direction, count] :
         {std::pair("sent", ni.stats.bytes.sent), std::pair("received", ni.stats.bytes.received)}) {
      Labels labels = who;
      labels.push_back({"direction", direction});
      add(bytes, std::move(labels), number(count));
    }
    for (const auto& kind : core::kNiErrors) {
      Labels labels = who;
      std::string name = kind.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      labels.push_back({"kind", std::move(name)});
      add(faults, std::move(labels), number(ni.stats.errors.*kind.value));
    }
  }
  for (MetricFamily* made : {&up, &health, &credits, &lowest, &messages, &bytes, &faults})
    to.keep(std::move(*made));
}

void add_threads(Families& to, const NodeState& state) {
  MetricFamily cycles = family("ulnet_thread_cycles_total",
                               "times that a thread worked without a pause", MetricType::Counter);
  MetricFamily long_cycles = family(
      "ulnet_thread_long_cycles_total",
      "times that a thread worked longer than long_cycle_ms without a pause", MetricType::Counter);
  MetricFamily longest =
      family("ulnet_thread_longest_cycle_seconds",
             "longest time that a thread worked without a pause", MetricType::Gauge);
  MetricFamily sleeps = family("ulnet_thread_sleeps_total",
                               "times that a thread waited to be woken", MetricType::Counter);
  for (const lnd::ThreadDuty& thread : state.threads) {
    const Labels who = {{"thread", thread.thread}};
    add(cycles, who, number(thread.duty.cycles));
    add(long_cycles, who, number(thread.duty.long_cycles));
    add(longest, who, std::chrono::duration<double>(thread.duty.longest).count());
    add(sleeps, who, number(thread.duty.sleeps));
  }
  for (MetricFamily* made : {&cycles, &long_cycles, &longest, &sleeps}) to.keep(std::move(*made));
}

void add_memory(Families& to, const NodeState& state) {
  to.one("ulnet_memory_budget_bytes",
         "memory that other nodes can make this node keep (memory_budget)", MetricType::Gauge,
         number(state.memory_budget));
  MetricFamily share = family("ulnet_memory_share_bytes",
                              "memory that each part of the node may use", MetricType::Gauge);
  MetricFamily used =
      family("ulnet_memory_used_bytes", "memory that the part uses", MetricType::Gauge);
  MetricFamily peak =
      family("ulnet_memory_peak_bytes", "most memory that the part ever used", MetricType::Gauge);
  MetricFamily refused =
      family("ulnet_memory_refused_total", "times that the part asked for memory and got none",
             MetricType::Counter);
  for (const MemoryShow& part : state.memory) {
    const Labels which = {{"part", part.part}};
    add(share, which, number(part.share));
    add(used, which, number(part.used));
    add(peak, which, number(part.peak));
    add(refused, which, number(part.refused));
  }
  for (MetricFamily* made : {&share, &used, &peak, &refused}) to.keep(std::move(*made));
}

/// Returns how far the discovery of a peer has come, from its state bits (spec/multirail.md 1.1).
const char* discovery_of(const core::PeerShow& peer) {
  constexpr std::uint32_t kDiscovered = 16, kRediscover = 32, kDiscovering = 64;
  if ((peer.state_bits & kDiscovering) != 0) return "under way";
  if ((peer.state_bits & kRediscover) != 0)
    return peer.discovery_error != 0 ? "failed" : "to be done again";
  return (peer.state_bits & kDiscovered) != 0 ? "done" : "none";
}

void add_discovery(Families& to, const PeerSums& peers) {
  MetricFamily discovery = family("ulnet_peers_by_discovery",
                                  "peers by the state of their discovery", MetricType::Gauge);
  for (const auto& [name, count] : peers.discovery)
    add(discovery, {{"discovery", std::string(name)}}, number(count));
  to.keep(std::move(discovery));
  to.one("ulnet_peers_multi_rail", "peers known to have Multi-Rail", MetricType::Gauge,
         number(peers.multi_rail));
}

/// Adds two counts: interfaces whose health is not full, and interfaces that are pinged for their
/// recovery.
void add_recovery(Families& to, const NodeState& state, const PeerSums& peers) {
  std::uint64_t unhealthy_nis = 0, nis_in_recovery = 0;
  for (const NiShow& ni : state.nis) {
    if (ni.nid.is_loopback()) continue;
    if (ni.stats.health_value < kFullHealth) ++unhealthy_nis;
    if (ni.stats.ping_count > 0) ++nis_in_recovery;
  }
  MetricFamily health =
      family("ulnet_unhealthy", "interfaces whose health is below 1000", MetricType::Gauge);
  add(health, {{"of", "this node"}}, number(unhealthy_nis));
  add(health, {{"of", "peers"}}, number(peers.unhealthy));
  MetricFamily recovery =
      family("ulnet_in_recovery",
             "interfaces to which the node has sent recovery pings since their last message",
             MetricType::Gauge);
  add(recovery, {{"of", "this node"}}, number(nis_in_recovery));
  add(recovery, {{"of", "peers"}}, number(peers.in_recovery));
  to.keep(std::move(health));
  to.keep(std::move(recovery));
}

void add_peers(Families& to, const PeerSums& peers) {
  to.one("ulnet_peers", "peers that this node knows", MetricType::Gauge, number(peers.peers));
  MetricFamily nis = family("ulnet_peer_nis", "interfaces of peers by state", MetricType::Gauge);
  add(nis, {{"state", "up"}}, number(peers.up));
  add(nis, {{"state", "down"}}, number(peers.down));
  add(nis, {{"state", "NA"}}, number(peers.unknown));
  to.keep(std::move(nis));
  MetricFamily waiting = family("ulnet_peer_nis_without_credits",
                                "interfaces of peers whose credits are below 0: messages to them "
                                "wait to be sent, or messages from them wait to be forwarded",
                                MetricType::Gauge);
  add(waiting, {{"credits", "send"}}, number(peers.without_credits));
  add(waiting, {{"credits", "router"}}, number(peers.without_router_credits));
  to.keep(std::move(waiting));
  to.one("ulnet_peer_queued_bytes", "bytes waiting for send credits of peers", MetricType::Gauge,
         number(peers.queued));
}

void add_routes(Families& to, const RouteSums& routes) {
  MetricFamily made = family("ulnet_routes", "routes by net and state", MetricType::Gauge);
  for (const auto& [net, of] : routes.nets) {
    add(made, {{"net", net.to_string()}, {"state", "up"}}, number(of.up));
    add(made, {{"net", net.to_string()}, {"state", "down"}}, number(of.down));
  }
  to.keep(std::move(made));
}

/// Adds the metrics of routing, also for a node that has never routed and has no buffers.
void add_routing(Families& to, const core::call::ShowRouting& routing) {
  constexpr std::array kSizes = {"tiny", "small", "large"};
  to.one("ulnet_routing", "1 when this node forwards messages", MetricType::Gauge,
         routing.state == core::RoutingState::kDisabled ? 0 : 1);
  MetricFamily all = family("ulnet_router_buffers", "buffers of a router", MetricType::Gauge);
  MetricFamily credits =
      family("ulnet_router_credits", "free buffers; at -N, N messages wait for a buffer",
             MetricType::Gauge);
  MetricFamily lowest =
      family("ulnet_router_credits_min", "fewest router credits ever left", MetricType::Gauge);
  for (std::size_t i = 0; i < routing.pools.size(); ++i) {  // by shard, three for each
    const core::PoolRow& pool = routing.pools[i];
    const Labels which = {{"cpt", std::to_string(pool.shard)}, {"size", kSizes[i % kSizes.size()]}};
    add(all, which, pool.buffers);
    add(credits, which, pool.credits);
    add(lowest, which, pool.min);
  }
  for (MetricFamily* made : {&all, &credits, &lowest}) to.keep(std::move(*made));
}

/// Adds counters with names: reasons of drops, events of the driver.
void add_named(Families& to, const std::string& name, const std::string& help, const char* label,
               const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  MetricFamily made = family(name, help, MetricType::Counter);
  for (const auto& [what, count] : counts) add(made, {{label, what}}, number(count));
  if (!counts.empty()) to.keep(std::move(made));
}

void add_control_api(Families& to, const ControlCounters& counters) {
  const auto count = [&](const char* name, const char* help,
                         const std::atomic<std::uint64_t>& value) {
    to.one(std::string("ulnet_door_") + name + "_total", help, MetricType::Counter,
           number(value.load(std::memory_order_relaxed)));
  };
  count("connections", "connections to the control API", counters.connections);
  count("requests", "requests that the control API answered", counters.requests);
  count("refused", "requests refused for lack of rights", counters.refused);
  count("failed", "requests answered with another error", counters.failed);
  count("malformed", "connections closed because of invalid input", counters.malformed);
  count("timed_out", "connections closed because they were too slow", counters.timed_out);
  count("no_memory", "requests and connections that failed for lack of memory", counters.no_memory);
  count("streams", "event streams started", counters.streams);
  count("streams_refused", "event streams refused because there were too many",
        counters.streams_refused);
  count("streams_lost", "events that a stream lost because its reader was slow or reconnected late",
        counters.streams_lost);
}

}  // namespace

void PeerSums::add(const core::PeerShow& peer) {
  if (peer.primary.is_loopback()) return;
  ++peers;
  ++discovery[discovery_of(peer)];
  if (peer.multi_rail) ++multi_rail;
  for (const core::PeerNiShow& ni : peer.nis) {
    const std::string_view shown = ni.state;
    ++(shown == "up" ? up : shown == "down" ? down : unknown);
    queued += ni.tx_q_num_of_buf;
    if (ni.available_tx_credits < 0) ++without_credits;
    if (ni.available_rtr_credits < 0) ++without_router_credits;
    if (ni.health_value < kFullHealth) ++unhealthy;
    if (ni.ping_count > 0) ++in_recovery;
  }
}

std::string metrics_text(const MetricsSource& source) {
  Families to;
  to.one("ulnet_build_info", "version of ulnet", MetricType::Gauge, 1,
         {{"version", source.version}});
  to.one("ulnet_up", "1 when LNet is configured", MetricType::Gauge,
         source.state != nullptr ? 1 : 0);
  if (source.state != nullptr) {
    to.one("ulnet_start_time_seconds", "when LNet was configured, Unix time", MetricType::Gauge,
           static_cast<double>(source.state->started_unix_ns) / 1e9);
    to.one("ulnet_configurations_total", "snapshots of the configuration taken into use",
           MetricType::Counter, number(source.state->generation));
    add_statistics(to, *source.state);
    add_nis(to, *source.state);
    add_peers(to, source.peers);
    add_discovery(to, source.peers);
    add_recovery(to, *source.state, source.peers);
    add_routes(to, source.routes);
    add_routing(to, source.routing);
    add_named(to, "ulnet_drops_total", "messages dropped or refused, by reason", "reason",
              source.state->drops);
    to.one("ulnet_late_messages_total", "messages that failed after their deadline",
           MetricType::Counter, number(source.state->late.count));
    add_threads(to, *source.state);
    add_memory(to, *source.state);
    for (const DriverCounters& driver : source.state->drivers)
      add_named(to, "ulnet_" + driver.name + "_total",
                "events that the " + driver.name + " driver counts", "event", driver.counters);
  }
  add_control_api(to, source.counters);
  return to.text();
}

namespace {

/// Sums the routes. The list of routes may be long, so only one thread at a time reads it. The list
/// is freed when this function returns.
RouteSums sum_routes(Context& context, Node& node) {
  RouteSums sums;
  const std::scoped_lock turn(context.lists.reading);
  const core::call::ShowRoutes shown = routes_of(node);
  for (const core::RouteRow& row : shown.routes) sums.add(row);
  return sums;
}

}  // namespace

Reply show_metrics(Context& context, const Request&) {
  const auto node = context.slot.node();
  NodeState state;
  PeerSums peers;
  RouteSums routes;
  core::call::ShowRouting routing;
  if (node != nullptr) {
    state = node->state();
    node->for_each_peer({}, [&](const core::PeerShow& peer) {
      peers.add(peer);
      return true;
    });
    routes = sum_routes(context, *node);
    routing = node->routing().now;
  }
  Reply reply;
  reply.body = metrics_text({.state = node != nullptr ? &state : nullptr,
                             .peers = peers,
                             .routes = std::move(routes),
                             .routing = std::move(routing),
                             .counters = context.counters,
                             .version = context.version});
  reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return reply;
}

}  // namespace ulnet::node::control
