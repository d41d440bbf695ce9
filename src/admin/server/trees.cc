#include "admin/server/trees.h"

#include <nlohmann/json.hpp>

#include "admin/server/why.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/params.h"
#include "lnet/core/udsp/policy.h"

namespace ulnet::node::control {

namespace {

void add_latency(Json& tree, const char* name, const core::LatencySamples& latency) {
  const std::string prefix = name;
  tree[prefix + "_samples"] = latency.samples;
  tree[prefix + "_min_nsec"] = latency.min_nsec;
  tree[prefix + "_max_nsec"] = latency.max_nsec;
  tree[prefix + "_avg_nsec"] = latency.avg_nsec;
}

Json traffic_totals(const core::TrafficStats& traffic) {
  Json tree;
  tree["send_count"] = traffic.sent.sum();
  tree["recv_count"] = traffic.received.sum();
  tree["drop_count"] = traffic.dropped.sum();
  add_latency(tree, "put_egress", traffic.put_egress);
  add_latency(tree, "get_rtt", traffic.get_rtt);
  add_latency(tree, "put_ack", traffic.put_ack);
  return tree;
}

template <class Stats, std::size_t N>
void add_counters(Json& tree, const std::array<core::CounterName<Stats>, N>& names,
                  const Stats& stats) {
  for (const core::CounterName<Stats>& counter : names) tree[counter.name] = stats.*counter.value;
}

Json type_counts(const core::TypeCounts& counts) {
  Json tree;
  add_counters(tree, core::kTypeCounts, counts);
  return tree;
}

/// Returns the effects of the policies on an NI: -1 if no policy gives a priority
/// (spec/cli-lnetctl.md 4.1).
Json udsp_info(std::uint32_t net_priority, std::uint32_t nid_priority) {
  const auto shown = [](std::uint32_t priority) { return static_cast<std::int32_t>(priority); };
  return {{"net priority", shown(net_priority)}, {"nid priority", shown(nid_priority)}};
}

/// Returns {"NID-0": ..., "NID-1": ...}.
Json numbered(const std::vector<Nid>& nids) {
  Json tree = Json::object();
  for (const Nid& nid : nids) tree["NID-" + std::to_string(tree.size())] = nid.to_string();
  return tree;
}

/// Returns the effects of the policies on a peer NI. The tree lists no preferred gateways.
Json udsp_info_of_peer(const NodeState& state, const Nid& nid) {
  const core::udsp::RuleList& rules = *state.udsp;
  std::vector<Nid> locals;
  for (const NiShow& ni : state.nis)
    if (!ni.nid.is_loopback()) locals.push_back(ni.nid);
  Json tree = udsp_info(priority_of_peer_net(rules, nid.net()), priority_of_peer_ni(rules, nid));
  const auto sources = preferred_sources(rules, nid, locals);
  if (!sources.empty()) tree["Preferred source NIDs"] = numbered(sources);
  return tree;
}

void add_type_counts(Json& tree, const core::TrafficStats& traffic) {
  tree["sent_stats"] = type_counts(traffic.sent);
  tree["received_stats"] = type_counts(traffic.received);
  tree["dropped_stats"] = type_counts(traffic.dropped);
}

Json ni_health(const core::NiStats& stats, bool loopback) {
  Json tree = {{"fatal_error", stats.fatal_error ? 1 : 0},
               {"health value", loopback ? 0 : stats.health_value}};
  add_counters(tree, core::kNiErrors, stats.errors);
  tree["ping_count"] = stats.ping_count;
  tree["next_ping"] = stats.next_ping;
  return tree;
}

Json tunables_tree(const core::NetTunables& tunables) {
  return {{"peer_timeout", tunables.peer_timeout},
          {"peer_credits", tunables.peer_credits},
          {"peer_buffer_credits", tunables.peer_buffer_credits},
          {"credits", tunables.credits}};
}

/// Returns the values of the driver's tunables, in the driver's order. The time-out stands before
/// the first tunable that follows it in the alphabet.
Json lnd_tunables_tree(const NiShow& ni) {
  constexpr char kTimeout[] = "timeout";
  Json tree;
  for (const conf::LndTunable& tunable : lnd::ni_tunables(ni.net.type)) {
    if (tunable.name > kTimeout) tree[kTimeout] = ni.lnd_timeout;
    if (const auto at = ni.lnd_tunables.find(tunable.name); at != ni.lnd_tunables.end())
      tree[at->first] = at->second;
  }
  tree[kTimeout] = ni.lnd_timeout;
  if (!ni.accept_note.empty())
    tree["accept"] = ni.accept_note;  // ulnet's own key: present only when the note is in force
  return tree;
}

std::string cpt_list(const std::vector<std::uint32_t>& cpts) {
  std::string text = "[";
  for (const std::uint32_t cpt : cpts) {
    if (text.size() > 1) text += ',';
    text += std::to_string(cpt);
  }
  return text + "]";
}

Json ni_tree(const NiShow& ni, const core::udsp::RuleList& rules) {
  const bool loopback = ni.nid.is_loopback();
  Json tree;
  tree["nid"] = ni.nid.to_string();
  tree["status"] = ni.up ? "up" : "down";
  if (!loopback) tree["interfaces"] = Json{{"0", ni.interface}};
  tree["statistics"] = traffic_totals(ni.stats.traffic);
  tree["udsp info"] = udsp_info(priority_of_net(rules, ni.net), priority_of_ni(rules, ni.nid));
  add_type_counts(tree, ni.stats.traffic);
  tree["health stats"] = ni_health(ni.stats, loopback);
  tree["tunables"] = tunables_tree(loopback ? core::NetTunables{0, 0, 0, 0} : ni.tunables);
  if (!ni.lnd_tunables.empty() && !loopback) tree["lnd tunables"] = lnd_tunables_tree(ni);
  tree["dev cpt"] = ni.dev_cpt;
  tree["CPT"] = cpt_list(ni.cpts);
  tree["life cycle"] = to_string(ni.stats.life_cycle);
  return tree;
}

Json peer_ni_health(const core::PeerNiShow& peer_ni) {
  Json tree = {{"health value", peer_ni.health_value}};
  add_counters(tree, core::kPeerNiErrors, peer_ni.errors);
  tree["ping_count"] = peer_ni.ping_count;
  tree["next_ping"] = peer_ni.next_ping;
  return tree;
}

Json peer_ni_tree(const NodeState& state, const core::PeerNiShow& peer_ni) {
  Json tree;
  tree["nid"] = peer_ni.nid.to_string();
  tree["udsp info"] = udsp_info_of_peer(state, peer_ni.nid);
  tree["state"] = peer_ni.state;
  tree["max_ni_tx_credits"] = peer_ni.max_ni_tx_credits;
  tree["available_tx_credits"] = peer_ni.available_tx_credits;
  tree["min_tx_credits"] = peer_ni.min_tx_credits;
  tree["tx_q_num_of_buf"] = peer_ni.tx_q_num_of_buf;
  tree["available_rtr_credits"] = peer_ni.available_rtr_credits;
  tree["min_rtr_credits"] = peer_ni.min_rtr_credits;
  tree["refcount"] = peer_ni.refcount;
  tree["statistics"] = traffic_totals(peer_ni.traffic);
  add_type_counts(tree, peer_ni.traffic);
  tree["health stats"] = peer_ni_health(peer_ni);
  tree["life cycle"] = to_string(peer_ni.life_cycle);
  return tree;
}

/// Describes how a peer's own ping info differs from this node's entry for the peer, in words
/// (spec/multirail.md 4.9).
Json differences_tree(const core::PeerShow& peer) {
  Json words = Json::array();
  for (const Nid& nid : peer.differences.missing)
    words.push_back("it has " + nid.to_string() + ", which this node's entry for it lacks");
  for (const Nid& nid : peer.differences.extra)
    words.push_back("it lacks " + nid.to_string() + ", which this node's entry for it has");
  if (!peer.differences.primary.is_any())
    words.push_back("its primary NID is " + peer.differences.primary.to_string());
  if (peer.differences.multi_rail)
    words.push_back(peer.multi_rail ? "it does not have Multi-Rail" : "it has Multi-Rail");
  return words;
}

}  // namespace

Json net_tree(const NodeState& state, const NetId* only) {
  Json nets = Json::array();
  const NetId* previous = nullptr;  // NIs come in net order: a change of net begins an item
  for (const NiShow& ni : state.nis) {
    if (only != nullptr && ni.net != *only) continue;
    if (previous == nullptr || *previous != ni.net)
      nets.push_back(Json{{"net type", ni.net.to_string()},
                          {"life cycle", to_string(ni.stats.net_life_cycle)},
                          {"local NI(s)", Json::array()}});
    nets.back()["local NI(s)"].push_back(ni_tree(ni, *state.udsp));
    previous = &ni.net;
  }
  Json tree;
  tree["net"] = std::move(nets);
  return tree;
}

bool write_peer(Pieces& to, const core::PeerShow& peer, const NodeState& state) {
  Json item;
  item["primary nid"] = peer.primary.to_string();
  item["Multi-Rail"] = peer.multi_rail;
  item["peer state"] = peer.state_bits;
  item["life cycle"] = to_string(shown_life_cycle(peer));
  if (std::string why = why_unused(peer, state.nis); !why.empty()) item["why"] = std::move(why);
  if (peer.differences.any()) item["differences"] = differences_tree(peer);
  std::string head = text_of(item);
  head.pop_back();  // removes the closing brace: the last key follows
  to.add(head + ",\"peer ni\":[");
  JsonItems nis(to);
  for (const core::PeerNiShow& peer_ni : peer.nis)
    nis.next().add(text_of(peer_ni_tree(state, peer_ni)));
  return to.add("]}");
}

Json statistics_tree(const NodeState& state) {
  Json statistics;
  add_counters(statistics, core::kGlobalStats, state.statistics);
  Json tree;
  tree["statistics"] = std::move(statistics);
  return tree;
}

Json global_tree(const NodeState& state) {
  Json global;
  for (const conf::GlobalSetting& setting : conf::all_globals()) {
    if (setting.field == &core::Globals::response_tracking)
      global["lnd_timeout"] = state.lnd_timeout;
    global[std::string(setting.name)] = state.globals.*setting.field;
  }
  Json tree;
  tree["global"] = std::move(global);
  return tree;
}

Json counters_tree(const NodeState& state) {
  const auto microseconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  Json tree = {{"drops", Json::object()},
               {"nis", Json::object()},
               {"driver", Json::object()},
               {"threads", Json::object()}};
  for (const auto& [reason, count] : state.drops) tree["drops"][reason] = count;
  for (const NiShow& ni : state.nis)
    tree["nis"][ni.nid.to_string()] = {{"sent_bytes", ni.stats.bytes.sent},
                                       {"received_bytes", ni.stats.bytes.received},
                                       {"credits", ni.stats.credits},
                                       {"credits_min", ni.stats.credits_min}};
  for (const DriverCounters& driver : state.drivers)
    for (const auto& [name, count] : driver.counters) tree["driver"][name] = count;
  for (const lnd::ThreadDuty& thread : state.threads)
    tree["threads"][thread.thread] = {{"cycles", thread.duty.cycles},
                                      {"long_cycles", thread.duty.long_cycles},
                                      {"longest_cycle_us", microseconds(thread.duty.longest)},
                                      {"sleeps", thread.duty.sleeps}};
  Json& memory = tree["memory"] = {{"budget", state.memory_budget}};
  for (const MemoryShow& part : state.memory)
    memory[part.part] = {
        {"share", part.share}, {"used", part.used}, {"peak", part.peak}, {"refused", part.refused}};
  return tree;
}

Json nids_tree(const NodeState& state) {
  Json nids = Json::array();
  for (const NiShow& ni : state.nis) nids.push_back(ni.nid.to_string());
  Json tree;
  tree["nids"] = std::move(nids);
  return tree;
}

}  // namespace ulnet::node::control
