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

  std::vector<Result<void>> change_all(std::span<conf::Change> changes) override {
    std::vector<Result<void>> results;
    const bool together = changes.size() > 1;
    if (together) (void)record("together {");
    for (conf::Change& change : changes)
      results.push_back(std::visit([this](auto& one) { return make(one); }, change));
    if (together) (void)record("}");
    return results;
  }
  core::call::ExplainPath path;  ///< what the node answers to ExplainPath, with its arguments
  std::vector<Nid> local_recovery, peer_recovery;
  std::uint32_t sequence = 0;
  core::call::ShowRoutes routes_shown;
  RoutingShow routing_shown;
  Result<void> answer(core::ApiCall& call) override {
    if (auto* asked = std::get_if<core::call::ExplainPath>(&call.body)) {
      const auto done =
          record("explain_path " + asked->to.to_string() + " " + asked->from.to_string() +
                 (asked->cpt ? " " + std::to_string(*asked->cpt) : ""));
      if (!done) return done;
      core::call::ExplainPath answer = path;
      answer.to = asked->to;
      answer.from = asked->from;
      answer.cpt = asked->cpt;
      *asked = answer;
    } else if (auto* recovery = std::get_if<core::call::ShowRecovery>(&call.body)) {
      recovery->nids = recovery->local ? local_recovery : peer_recovery;
    } else if (auto* totals = std::get_if<core::call::Show>(&call.body)) {
      totals->ping_sequence = sequence;
    } else if (auto* routes = std::get_if<core::call::ShowRoutes>(&call.body)) {
      *routes = routes_shown;
    } else if (auto* faults = std::get_if<core::call::FaultShow>(&call.body)) {
      faults->rows = fault_rows;
    }
    return {};
  }
  RoutingShow routing() override { return routing_shown; }
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
  MemoryBudget& memory() override { return budget; }
  std::uint32_t cpts() const override { return table.count(); }
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
  Result<void> make(const conf::change::AddNi& change) {
    {
      const std::scoped_lock lock(mutex_);
      added_.push_back(change.ni);
    }
    return record("net_add " + change.net.to_string() + " " +
                  (change.ni.nid ? change.ni.nid->to_string() : change.ni.interface));
  }
  Result<void> make(const conf::change::DelNi& change) {
    if (change.nid) return record("nid_del " + change.nid->to_string());
    return record("net_del " + change.net.to_string() +
                  (change.interface ? " " + *change.interface : ""));
  }
  Result<void> make(const conf::change::SetNi& change) {
    if (change.net)
      (void)record("lnd_timeout " + change.net->to_string() + " " +
                   std::to_string(change.lnd_timeout.value_or(0)));
    if (!change.health && change.tunables.empty()) return next;
    std::string words = "ni_set " + (change.nid ? change.nid->to_string() : "all") +
                        (change.health ? " health " + std::to_string(*change.health) : "");
    for (const auto& [name, value] : change.tunables)
      words += " " + name + " " + std::to_string(value);
    return record(words);
  }
  static std::string words_of(const std::vector<Nid>& nids) {
    std::string words;
    for (const Nid& nid : nids) words += " " + nid.to_string();
    return words;
  }
  Result<void> make(const conf::change::AddPeer& change) {
    return record("peer_add " + change.primary.to_string() + words_of(change.nids) +
                  (change.multi_rail ? "" : " non_mr") + (change.lock_primary ? " lock_prim" : ""));
  }
  Result<void> make(const conf::change::DelPeer& change) {
    return record("peer_del " + change.primary.to_string() + words_of(change.nids) +
                  (change.force ? " force" : ""));
  }
  Result<void> make(const conf::change::SetPeer& change) {
    const std::string nid = change.nid ? change.nid->to_string() : "all";
    if (change.state) {
      auto set = record("peer_set_state " + nid + " " + std::to_string(*change.state));
      if (!set) return set;
    }
    return change.health ? record("peer_set_health " + nid + " " + std::to_string(*change.health))
                         : next;
  }
  Result<void> make(const conf::change::SetGlobals& change) {
    for (const auto& [name, value] : change.values)
      (void)record("set_global " + name + " " + std::to_string(value));
    return next;
  }
  Result<void> make(const conf::change::SetParams& change) {
    for (const auto& [name, value] : change.values) (void)record("set_param " + name + " " + value);
    return next;
  }
  template <class Edit>
  Result<void> edit(Edit edit) {
    auto rules = std::make_shared<core::udsp::RuleList>(*shows.udsp);
    if (auto recorded = record("change_udsp"); !recorded) return recorded;
    if (Result<void> edited = edit(*rules); !edited) return edited;
    shows.udsp = std::move(rules);
    return {};
  }
  Result<void> make(const conf::change::AddPolicy& change) {
    return edit([&](auto& rules) { return rules.add(change.rule, change.idx); });
  }
  Result<void> make(const conf::change::DelPolicy& change) {
    return edit([&](auto& rules) -> Result<void> {
      if (change.idx) return rules.del(static_cast<std::size_t>(*change.idx));
      return rules.clear(), Result<void>();
    });
  }
  Result<void> make(const conf::change::SetPolicies& change) {
    return edit([&](auto& rules) {
      rules.clear();
      Result<void> added;
      for (const core::udsp::Rule& rule : change.rules)
        if (added) added = rules.add(rule);
      return added;
    });
  }
  Result<void> make(const conf::change::AddSelection& change) {
    return edit([&](auto& rules) { return conf::add_selection(rules, change.selection); });
  }
  Result<void> make(const conf::change::DelSelection& change) {
    return edit([&](auto& rules) { return conf::del_selection(rules, change.match, change.id); });
  }
  Result<void> make(const conf::change::AddRoutes& change) {
    for (const conf::RouteItem& route : change.routes)
      (void)record("route_add " + route.net.to_string() + " " + route.gateway.to_string() + " " +
                   std::to_string(route.hops) + " " + std::to_string(route.priority));
    return next;
  }
  Result<void> make(const conf::change::DelRoutes& change) {
    for (const core::Route& route : change.routes)
      (void)record("route_del " + route.net.to_string() + " " + route.gateway.to_string());
    return next;
  }
  Result<void> make(const conf::change::SetRouting& change) {
    std::string words = "buffers";
    bool any = false;
    for (const auto& count : change.buffers) {
      words += " " + (count ? std::to_string(*count) : "-");
      any |= count.has_value();
    }
    if (any) (void)record(words);
    return change.on ? record(*change.on ? "routing on" : "routing off") : next;
  }
  Result<void> make(conf::change::AddFault& change) {
    if (auto recorded = record("fault_add"); !recorded) return recorded;
    if (change.rule.seed == 0) change.rule.seed = 7;
    fault_rows.insert(fault_rows.begin(), core::FaultRow{change.rule});
    return {};
  }
  Result<void> make(conf::change::DelFault& change) {
    change.gone = std::erase_if(fault_rows, [&](const core::FaultRow& row) {
      return row.rule.kind == change.kind &&
             (!change.source || *change.source == row.rule.source) &&
             (!change.destination || *change.destination == row.rule.destination);
    });
    return change.gone == 0 ? fail(-ENOENT, "no such fault rule") : Result<void>();
  }
  Result<void> make(const conf::change::ResetFaults& change) {
    return record("fault_reset " + std::string(to_string(change.kind)));
  }
  Result<void> make(const conf::change::ResetStats&) {
    (void)record("reset_stats");
    return {};
  }
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
