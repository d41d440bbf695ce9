// For tests: a node that sends no messages. It shows the state that the test gave it, records the
// changes that callers make, and answers as the test specifies.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "admin/server/node_slot.h"
#include "lnet/node/node.h"
#include "lnet/node/runtime/shared_memory_budget.h"

namespace ulnet::node::control {

class FakeNode : public Node {
 public:
  // The test sets these up beforehand.
  NodeState shows;
  std::vector<core::PeerShow> peers;
  SharedMemoryBudget budget;
  Result<void> next = {};  ///< the answer to every change
  bool no_memory = false;  ///< a change throws std::bad_alloc
  std::function<Result<PingReply>(const PingRequest&)> on_ping;
  std::function<Result<PingReply>(const Nid&, bool force)> on_discover;
  std::vector<core::FaultRow> fault_rows;
  std::map<std::string, std::string> param_values;
  /// CPUs 0 and 2 on one NUMA node, 1 on another.
  cpt::Table table =
      cpt::Table::by_pattern(
          cpt::Topology::make({{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 0, 0}}).value(), "N")
          .value();

  /// Returns the changes that callers made, in words: "net_add tcp eth0".
  std::vector<std::string> recorded() {
    const std::scoped_lock lock(mutex_);
    return recorded_;
  }
  std::vector<conf::NiItem> added() {
    const std::scoped_lock lock(mutex_);
    return added_;
  }
  std::atomic<int> stops{0};

  Result<void> expect_nis(const std::vector<conf::NiRef>&) override { return {}; }
  Result<void> change_together(const std::function<void()>& changes) override {
    (void)record("together {");
    changes();
    (void)record("}");
    return {};
  }
  Result<void> net_add(NetId net, const conf::NiItem& ni) override {
    {
      const std::scoped_lock lock(mutex_);
      added_.push_back(ni);
    }
    return record("net_add " + net.to_string() + " " +
                  (ni.nid ? ni.nid->to_string() : ni.interface));
  }
  Result<void> net_del(NetId net, const std::optional<std::string>& interface) override {
    return record("net_del " + net.to_string() + (interface ? " " + *interface : ""));
  }
  /// The answer of explain_path(), which adds the request to it.
  PathShow path;
  Result<PathShow> explain_path(const Nid& to, const Nid& from,
                                std::optional<std::uint32_t> cpt) override {
    PathShow answer = path;
    answer.to = to;
    answer.from = from;
    answer.cpt = cpt;
    const auto done = record("explain_path " + to.to_string() + " " + from.to_string() +
                             (cpt ? " " + std::to_string(*cpt) : ""));
    if (!done) return tl::unexpected<Error>(done.error());
    return answer;
  }
  Result<void> nid_del(const Nid& nid) override { return record("nid_del " + nid.to_string()); }
  Result<void> peer_add(const PeerAdd& peer) override {
    std::string words = "peer_add " + peer.primary.to_string();
    for (const Nid& nid : peer.nids) words += " " + nid.to_string();
    if (!peer.multi_rail) words += " non_mr";
    if (peer.lock_primary) words += " lock_prim";
    return record(words);
  }
  Result<void> peer_del(const Nid& primary, const std::vector<Nid>& nids, bool force) override {
    std::string words = "peer_del " + primary.to_string();
    for (const Nid& nid : nids) words += " " + nid.to_string();
    if (force) words += " force";
    return record(words);
  }
  Result<void> peer_set_health(const std::optional<Nid>& nid, std::int32_t health) override {
    return record("peer_set_health " + (nid ? nid->to_string() : "all") + " " +
                  std::to_string(health));
  }
  std::vector<Nid> local_recovery, peer_recovery;
  std::vector<Nid> in_recovery(bool local) override {
    return local ? local_recovery : peer_recovery;
  }
  core::LateMessages late_messages() override { return {}; }
  std::uint32_t sequence = 0;
  std::uint32_t ping_sequence() override { return sequence; }
  Result<void> peer_set_state(const Nid& nid, std::uint32_t state) override {
    return record("peer_set_state " + nid.to_string() + " " + std::to_string(state));
  }
  Result<void> ni_set(const std::optional<Nid>& nid, std::optional<int> health,
                      const conf::LndTunables& tunables) override {
    std::string words = "ni_set " + (nid ? nid->to_string() : "all") +
                        (health ? " health " + std::to_string(*health) : "");
    for (const auto& [name, value] : tunables) words += " " + name + " " + std::to_string(value);
    return record(words);
  }
  Result<void> net_set_lnd_timeout(NetId net, int seconds) override {
    return record("lnd_timeout " + net.to_string() + " " + std::to_string(seconds));
  }
  Result<void> set_global(const std::string& name, std::int64_t value) override {
    return record("set_global " + name + " " + std::to_string(value));
  }
  Result<void> change_udsp(const UdspChange& change) override {
    auto rules = std::make_shared<core::udsp::RuleList>(*shows.udsp);
    if (auto recorded = record("change_udsp"); !recorded) return recorded;
    if (auto changed = change(*rules); !changed) return changed;
    shows.udsp = std::move(rules);
    return {};
  }
  core::call::ShowRoutes routes_shown;
  RoutingShow routing_shown;
  Result<void> route_add(const core::Route& route) override {
    return record("route_add " + route.net.to_string() + " " + route.gateway.to_string() + " " +
                  std::to_string(route.hops) + " " + std::to_string(route.priority));
  }
  Result<void> route_del(std::optional<NetId> net, const std::optional<Nid>& gateway) override {
    return record("route_del " + (net ? net->to_string() : "any") + " " +
                  (gateway ? gateway->to_string() : "any"));
  }
  std::vector<Result<void>> add_routes(const std::vector<conf::RouteItem>& routes) override {
    std::vector<Result<void>> results;
    for (const conf::RouteItem& route : routes)
      results.push_back(route_add({route.net, route.gateway, route.hops, route.priority}));
    return results;
  }
  Result<void> set_routing(bool on) override { return record(on ? "routing on" : "routing off"); }
  Result<void> set_buffers(const std::array<std::optional<std::int32_t>, 3>& buffers) override {
    std::string words = "buffers";
    for (const auto& count : buffers) words += " " + (count ? std::to_string(*count) : "-");
    return record(words);
  }
  core::call::ShowRoutes routes() override { return routes_shown; }
  RoutingShow routing() override { return routing_shown; }
  Result<core::FaultRule> fault_add(const core::FaultRule& rule) override {
    if (auto recorded = record("fault_add"); !recorded) return tl::unexpected(recorded.error());
    core::FaultRule added = rule;
    if (added.seed == 0) added.seed = 7;
    fault_rows.insert(fault_rows.begin(), core::FaultRow{added});
    return added;
  }
  Result<std::size_t> fault_del(core::FaultRule::Kind kind,
                                const std::optional<core::FaultNids>& source,
                                const std::optional<core::FaultNids>& destination) override {
    const std::size_t gone = std::erase_if(fault_rows, [&](const core::FaultRow& row) {
      return row.rule.kind == kind && (!source || *source == row.rule.source) &&
             (!destination || *destination == row.rule.destination);
    });
    if (gone == 0) return fail(-ENOENT, "no such fault rule");
    return gone;
  }
  Result<void> fault_reset(core::FaultRule::Kind kind) override {
    return record("fault_reset " + std::string(to_string(kind)));
  }
  Result<std::vector<core::FaultRow>> faults() override { return fault_rows; }
  Result<void> set_param(const std::string& name, const std::string& value) override {
    return record("set_param " + name + " " + value);
  }
  std::map<std::string, std::string> params() override { return param_values; }
  void on_param(ParamWatch) override {}
  void set_log_level(int level) override { (void)record("log_level " + std::to_string(level)); }
  NodeState state() override { return shows; }
  void for_each_peer(const Nid& only, const TakePeer& take) override {
    for (const core::PeerShow& peer : peers) {
      const bool wanted =
          only.is_any() || only == peer.primary ||
          std::ranges::find(peer.nis, only, &core::PeerNiShow::nid) != peer.nis.end();
      if (wanted && !take(peer)) return;
    }
  }
  std::shared_ptr<NodeEvents> happened = std::make_shared<NodeEvents>();
  std::shared_ptr<NodeEvents> events() override { return happened; }
  void reset_stats() override { (void)record("reset_stats"); }
  MemoryBudget& memory() override { return budget; }
  const cpt::Table& cpt_table() const override { return table; }
  std::uint32_t cpt_of_nid(const Nid& nid) override { return cpt::cpt_of_nid(nid, table.count()); }
  Result<void> add_networks(std::string_view networks) override {
    return record("add_networks " + std::string(networks));
  }
  Result<void> stop(std::chrono::nanoseconds) override {
    ++stops;
    return {};
  }

  Result<PingReply> ping(const PingRequest& request) override {
    if (on_ping) return on_ping(request);
    return fail(-ETIMEDOUT);
  }
  Result<PingReply> discover(const Nid& nid, bool force) override {
    if (on_discover) return on_discover(nid, force);
    return fail(-EIO);
  }
  void debug_peer(const Nid& nid) override { (void)record("debug_peer " + nid.to_string()); }

  // Calls that the control API does not make.
  Result<ProcessId> get_id(unsigned, bool) override { return fail(-ENOENT); }
  Result<Distance> dist(const Nid&) override { return fail(-EHOSTUNREACH); }
  Result<MeHandle> me_attach(Portal, const ProcessId&, MatchBits, MatchBits, UnlinkMode,
                             InsertPosition) override {
    return fail(-ENOSYS);
  }
  Result<MdHandle> md_attach(MeHandle, const MdSpec&, UnlinkMode) override { return fail(-ENOSYS); }
  Result<MdHandle> md_bind(const MdSpec&, UnlinkMode) override { return fail(-ENOSYS); }
  Result<void> md_unlink(MdHandle) override { return fail(-ENOENT); }
  Result<void> put(const PutRequest&) override { return fail(-ENOSYS); }
  Result<void> get(const GetRequest&) override { return fail(-ENOSYS); }
  Result<void> set_lazy_portal(Portal) override { return {}; }
  Result<void> clear_lazy_portal(Portal) override { return {}; }
  void after(std::chrono::nanoseconds, std::function<void()>) override {}
  Counters counters() override { return {}; }
  bool progress(std::chrono::nanoseconds) override { return false; }

 private:
  Result<void> record(std::string what) {
    if (no_memory) throw std::bad_alloc();
    const std::scoped_lock lock(mutex_);
    recorded_.push_back(std::move(what));
    return next;
  }

  std::mutex mutex_;
  std::vector<std::string> recorded_;
  std::vector<conf::NiItem> added_;
};

inline Nid nid_of(const char* text) { return Nid::parse(text).value(); }

/// Returns the state of the recorded node: 0@lo and one tcp interface, with all defaults.
inline NodeState recorded_state(const char* nid = "10.99.0.3@tcp", const char* interface = "eth0") {
  NodeState state;
  NiShow lo;
  lo.nid = Nid::loopback();
  lo.net = NetId::loopback();
  lo.cpts = {0};
  NiShow tcp = lo;
  tcp.nid = nid_of(nid);
  tcp.net = tcp.nid.net();
  tcp.interface = interface;
  tcp.lnd_tunables = {{"conns_per_peer", 1}, {"tos", -1}};
  state.nis = {lo, tcp};
  return state;
}

/// A service that answers each command with its name and arguments. It answers the command 'fail'
/// with -ESRCH.
struct FakeService : NodeService {
  std::optional<Result<Json>> run(const std::string& command, const Json& arguments) override {
    if (stopped) return std::nullopt;
    if (command == "fail") return fail(-ESRCH, "No session exists");
    return Json{{command, arguments}};
  }
  void set_param(const std::string&, const std::string&) override {}
  bool stop(std::chrono::nanoseconds) override { return stopped = true; }
  bool stopped = false;
};
inline Result<std::shared_ptr<NodeService>> start_fake_service(const std::shared_ptr<Node>&) {
  return std::make_shared<FakeService>();
}

/// A slot with a FakeNode in it; `fake` points to it as long as the slot keeps it.
struct FakeSlot {
  FakeNode* fake = nullptr;
  ConfigureOptions configured_with;
  StartService start_selftest;
  NodeSlot slot{[this](const ConfigureOptions& options) -> Result<std::unique_ptr<Node>> {
                  configured_with = options;
                  auto made = std::make_unique<FakeNode>();
                  made->shows = recorded_state();
                  fake = made.get();
                  return made;
                },
                start_selftest};

  explicit FakeSlot(StartService selftest = start_fake_service)
      : start_selftest(std::move(selftest)) {
    (void)slot.configure({});
  }
};

}  // namespace ulnet::node::control
