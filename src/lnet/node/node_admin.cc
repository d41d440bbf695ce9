// The administrator's side of a node: starting, configuring, showing, stopping. Source:
// spec/cli-lnetctl.md 3, 11.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <random>
#include <system_error>
#include <utility>

#include "lnet/base/limits.h"
#include "lnet/config/globals.h"
#include "lnet/config/modparams.h"
#include "lnet/config/routes.h"
#include "lnet/core/contract/peer_list.h"
#include "lnet/core/path/known_peer.h"
#include "lnet/node/incarnation.h"
#include "lnet/node/node_impl.h"
#include "lnet/node/runtime/log_levels.h"
#include "lnet/os/interfaces.h"

namespace ulnet::node {
namespace {

std::uint64_t unix_ns() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count());
}

/// Shows the parts of the memory budget. The shards count the answers and the routers' buffers
/// themselves, so those figures come from them.
std::vector<MemoryShow> memory_parts(const MemoryBudget& memory, const core::call::Show& shards) {
  std::vector<MemoryShow> parts;
  for (std::size_t i = 0; i < kMemoryParts; ++i) {
    const auto part = static_cast<MemoryPart>(i);
    parts.push_back({to_string(part), memory.share(part), memory.used(part), memory.peak(part),
                     memory.refused(part)});
    MemoryShow& show = parts.back();
    if (part == MemoryPart::kAnswers) {
      show.used = shards.kept.answers * limits::kAnswerBytes;
      show.peak = shards.kept.most_answers * limits::kAnswerBytes;
      show.refused = shards.drops[static_cast<std::size_t>(core::DropReason::kAnswersWait)].count;
    }
    if (part == MemoryPart::kForwards) show.used = show.peak = shards.kept.buffer_bytes;
  }
  return parts;
}

}  // namespace

Result<std::unique_ptr<Node>> Node::start(const NodeOptions& options, const MachineView& machine,
                                          std::uint32_t ping_sequence) {
  if (options.pid.is_any()) return fail(-EINVAL, "a node's PID cannot be \"any\"");
  auto settings = Settings::make(options.params);
  if (!settings) return tl::unexpected<Error>(settings.error());
  std::string warning;
  auto partitions = Partitions::make(
      options.mode, settings->params().text("cpu_pattern"),
      static_cast<std::uint32_t>(settings->params().number("cpu_npartitions")), machine, warning);
  if (!partitions) return tl::unexpected<Error>(partitions.error());
  if (!warning.empty() && options.log != nullptr)
    options.log(options.log_context, kWarning, warning.c_str());
  try {
    auto node = std::make_unique<NodeImpl>(options, *std::move(settings), *std::move(partitions),
                                           ping_sequence);
    if (auto begun = node->begin(); !begun) return tl::unexpected<Error>(begun.error());
    return node;
  } catch (const std::system_error& lacking) {  // the system had no thread or no descriptor
    return fail(-lacking.code().value(), std::string("cannot start: ") + lacking.what());
  } catch (const std::bad_alloc&) {
    return fail(-ENOMEM, "cannot start: no memory");
  }
}

NodeImpl::NodeImpl(const NodeOptions& options, Settings settings, Partitions partitions,
                   std::uint32_t ping_sequence)
    : options_(options),
      started_unix_ns_(unix_ns()),
      settings_(std::move(settings)),
      runtime_({options.mode,
                settings_.params(),
                last_incarnation(),
                settings_.shard_spin(),
                settings_.memory_budget(),
                {&NodeImpl::write_note, this},
                [this](int level, const std::string& line) { say(level, line); },
                options.log != nullptr ? options.log_level : kNothing,
                events_.get()},
               std::move(partitions)),
      nets_(runtime_, options.pid, options.prefer_large, ping_sequence, options.log,
            options.log_context, *events_) {}

NodeImpl::~NodeImpl() {
  (void)stop({});
  lifetime_->end();
}

Result<void> NodeImpl::begin() {
  const std::lock_guard lock(configuring_);
  for (const std::string& line : settings_.warnings()) say(kWarning, line);
  runtime_.set_long_cycle(settings_.long_cycle());
  const bool watching =
      link_watch_.start([this] { return nets_.look_at_links(); }, !runtime_.polled());
  if (!watching)
    say(kWarning, "no rtnetlink: the node does not notice links and addresses that disappear");
  if (runtime_.polled()) runtime_.set_housekeeping([this] { link_watch_.poll(); });
  routing_was_on_ = settings_.routing().on;
  return nets_.start_loopback(settings_);
}

Result<void> NodeImpl::stop(std::chrono::nanoseconds deadline) {
  if (in_handler()) return fail(-EDEADLK, kWaitsInHandler);
  const Configuring one(*this);
  if (std::exchange(stopped_, true)) return {};
  events_->add({.type = NodeEvent::Type::kNode, .text = "the node is stopping"});
  link_watch_.stop();
  core::ApiCall call;
  call.body.emplace<core::call::Shutdown>();
  (void)runtime_.call(call);
  nets_.stop_all(deadline);
  runtime_.wait_until_idle();
  runtime_.hosts().stop();
  events_->end();
  return {};
}

Result<void> NodeImpl::change_together(const std::function<void()>& changes) {
  return configure([&]() -> Result<void> {
    nets_.together(changes);
    return {};
  });
}

Result<void> NodeImpl::net_add(NetId net, const conf::NiItem& ni) {
  return configure([&] { return nets_.add(net, ni, settings_); });
}

Result<void> NodeImpl::expect_nis(const std::vector<conf::NiRef>& nis) {
  return configure([&] { return nets_.expect(nis); });
}

Result<void> NodeImpl::net_del(NetId net, const std::optional<std::string>& interface) {
  return configure([&] { return nets_.del(net, interface); });
}

Result<void> NodeImpl::nid_del(const Nid& nid) {
  return configure([&] { return nets_.del_nid(nid); });
}

Result<void> NodeImpl::add_networks(std::string_view networks) {
  return configure([&] { return add_all(networks); });
}

Result<void> NodeImpl::add_all(std::string_view networks) {
  if (networks.empty()) return {};
  auto items = conf::resolve_networks(networks, {}, machine::local_interfaces());
  if (!items) return tl::unexpected<Error>(items.error());
  (void)nets_.expect(conf::nis_of(*items));
  std::vector<std::pair<NetId, conf::NiItem>> added;
  for (const conf::NetItem& net : *items)
    for (const conf::NiItem& ni : net.nis) {
      std::string trouble;
      const auto done = nets_.add(net.net, ni, settings_, &trouble);
      if (done) {
        added.emplace_back(net.net, ni);
        continue;
      }
      for (const auto& [old_net, old_ni] : added) (void)nets_.del(old_net, old_ni.interface);
      return fail(done.error().code, net.net.to_string() + "(" + ni.interface +
                                         "): " + (trouble.empty() ? done.error().reason : trouble));
    }
  return {};
}

Result<void> NodeImpl::ni_set(const std::optional<Nid>& nid, std::optional<int> health,
                              const conf::LndTunables& tunables) {
  return configure([&] { return nets_.set_ni(nid, health, tunables); });
}

Result<void> NodeImpl::net_set_lnd_timeout(NetId net, int seconds) {
  return configure([&] { return nets_.set_lnd_timeout(net, seconds, settings_.globals()); });
}

Result<void> NodeImpl::peer_add(const PeerAdd& peer) {
  return configure([&] {
    if (auto free = check_no_gateway(peer.primary, peer.nids); !free) return free;
    return command(
        core::call::PeerAdd{peer.primary, peer.nids, peer.multi_rail, peer.lock_primary});
  });
}

Result<void> NodeImpl::peer_del(const Nid& primary, const std::vector<Nid>& nids, bool force) {
  return configure([&] {
    if (auto free = check_no_gateway(primary, nids); !free) return free;
    return command(core::call::PeerDel{primary, nids, force});
  });
}

Result<void> NodeImpl::peer_set_health(const std::optional<Nid>& nid, std::int32_t health) {
  return configure([&] {
    return nid ? command(core::call::SetPeerNiHealth{*nid, health})
               : command(core::call::SetPeersHealth{health});
  });
}

std::vector<Nid> NodeImpl::in_recovery(bool local) {
  const OuterLoop::Call in_call;
  core::ApiCall call(core::call::ShowRecovery{local});
  (void)runtime_.call(call);
  return std::move(std::get<core::call::ShowRecovery>(call.body).nids);
}

Result<void> NodeImpl::peer_set_state(const Nid& nid, std::uint32_t state) {
  return configure([&] { return command(core::call::SetPeerState{nid, state}); });
}

Result<void> NodeImpl::set_global(const std::string& name, std::int64_t value) {
  return configure([&] { return change_global(name, value); });
}

Result<void> NodeImpl::change_global(const std::string& name, std::int64_t value) {
  core::Globals globals = settings_.globals();
  if (auto set = conf::set_global(globals, name, value); !set) return set;
  {
    const std::lock_guard brief(settings_lock_);
    settings_.globals() = globals;
  }
  nets_.apply(globals);
  return {};
}

Result<void> NodeImpl::change_udsp(const UdspChange& change) {
  return configure([&]() -> Result<void> {
    auto rules = std::make_shared<core::udsp::RuleList>(*nets_.udsp());
    if (auto changed = change(*rules); !changed) return changed;
    nets_.apply(std::move(rules));
    return {};
  });
}

Result<core::FaultRule> NodeImpl::fault_add(const core::FaultRule& rule) {
  auto added = core::settled(rule);
  if (!added) return added;
  if (added->seed == 0) added->seed = std::random_device{}();
  auto done = configure([&] { return command(core::call::FaultAdd{*added}); });
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  say(kInfo, "fault rule: " + std::string(to_string(added->kind)) + " " +
                 added->source.to_string() + " -> " + added->destination.to_string() + ", seed " +
                 std::to_string(added->seed));
  return added;
}

Result<std::size_t> NodeImpl::fault_del(core::FaultRule::Kind kind,
                                        const std::optional<core::FaultNids>& source,
                                        const std::optional<core::FaultNids>& destination) {
  std::size_t gone = 0;
  auto done = configure([&]() -> Result<void> {
    return ask(core::call::FaultDel{kind, source, destination}).map([&](const auto& call) {
      gone = call.gone;
    });
  });
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  return gone;
}

Result<void> NodeImpl::fault_reset(core::FaultRule::Kind kind) {
  return configure([&] { return command(core::call::FaultReset{kind}); });
}

Result<std::vector<core::FaultRow>> NodeImpl::faults() {
  return ask(core::call::FaultShow{}).map([](auto&& call) { return std::move(call.rows); });
}

Result<void> NodeImpl::set_param(const std::string& name, const std::string& value) {
  return configure([&] { return change_param(name, value); });
}

Result<void> NodeImpl::change_param(const std::string& name, const std::string& value) {
  const conf::Param* param = conf::find_param(name);
  if (param == nullptr) return fail(-ENOENT, "no parameter '" + name + "'");
  auto text = conf::check_param(*param, value);
  if (!text) return tl::unexpected<Error>(text.error());
  if (param->start_only)
    return fail(-EBUSY, "parameter " + name + " counts only when the node starts");
  Settings changed = settings_;
  if (auto set = changed.set_param(name, *text); !set) return set;
  if (auto applied = changed.apply_to_globals(*param); !applied) return applied;
  if (auto set = runtime_.set_tunable(name, *text); !set) return set;
  const bool new_globals = changed.globals() != settings_.globals();
  {
    const std::lock_guard brief(settings_lock_);
    settings_ = std::move(changed);
  }
  runtime_.set_long_cycle(settings_.long_cycle());
  runtime_.set_shard_spin(settings_.shard_spin());
  if (name == "memory_budget") runtime_.memory().set(settings_.memory_budget());
  if (new_globals) nets_.apply(settings_.globals());
  core::Routing routing = nets_.routing();
  routing.check_before_use = settings_.routing().check_before_use;
  routing.standard = settings_.routing().standard;
  nets_.apply(routing);
  if (param_watch_) param_watch_(std::string(param->name), *text);
  events_->add({.type = NodeEvent::Type::kConfig, .text = "parameter " + name + " is " + *text});
  if (!param->warning.empty())
    say(kWarning, "parameter " + name + " " + std::string(param->warning));
  return {};
}

void NodeImpl::on_param(ParamWatch watch) {
  const Configuring one(*this);
  param_watch_ = std::move(watch);
}

void NodeImpl::set_log_level(int level) {
  if (options_.log != nullptr) runtime_.set_log_level(level);
}

std::map<std::string, std::string> NodeImpl::params() {
  const std::lock_guard brief(settings_lock_);
  std::map<std::string, std::string> values;
  for (const conf::Param& param : conf::all_params())
    values.emplace(param.name, settings_.text(param));
  return values;
}

core::call::Show NodeImpl::totals() {
  const OuterLoop::Call in_call;
  core::ApiCall call;
  auto& show = call.body.emplace<core::call::Show>();
  show.want_nis = show.want_peers = false;
  (void)runtime_.call(call);
  return std::get<core::call::Show>(std::move(call.body));
}

core::LateMessages NodeImpl::late_messages() { return totals().late; }

std::uint32_t NodeImpl::ping_sequence() { return totals().ping_sequence; }

NodeState NodeImpl::state() {
  const OuterLoop::Call in_call;
  core::ApiCall call;
  call.body.emplace<core::call::Show>().want_peers = false;
  (void)runtime_.call(call);
  auto& show = std::get<core::call::Show>(call.body);
  NodeState state;
  for (Nets::Row& row : nets_.rows()) {
    // Both lists are in the configuration's order; an NI that is being added or removed is in one
    // of them only.
    const auto same = std::find_if(show.nis.begin(), show.nis.end(),
                                   [&](const core::call::NiRow& ni) { return ni.id == row.id; });
    if (same == show.nis.end()) continue;
    row.show.stats = std::move(same->stats);
    row.show.up = row.show.stats.up;
    state.nis.push_back(std::move(row.show));
  }
  state.statistics = show.statistics;
  state.late = show.late;
  state.started_unix_ns = started_unix_ns_;
  state.generation = nets_.generation();
  for (const core::call::DropRow& drop : show.drops)
    state.drops.emplace_back(drop.reason, drop.count);
  state.drivers = runtime_.counters();
  state.threads = runtime_.duties();
  state.memory_budget = runtime_.memory().bytes();
  state.memory = memory_parts(runtime_.memory(), show);
  state.udsp = nets_.udsp();
  const std::lock_guard brief(settings_lock_);
  state.globals = settings_.globals();
  state.lnd_timeout = core::lnd_timeout_seconds(state.globals);
  return state;
}

void NodeImpl::for_each_peer(const Nid& only, const TakePeer& take) {
  const OuterLoop::Call in_call;
  const auto ask = [&](core::ApiCall& call) { (void)runtime_.call(call); };
  if (!only.is_any()) {
    core::ApiCall call{core::call::Show{.want_nis = false, .peer = only}};
    ask(call);
    const auto& found = std::get<core::call::Show>(call.body).peers;
    (void)std::all_of(found.begin(), found.end(), take);
    return;
  }
  core::PeerList list(cpts());
  for (auto some = list.next(ask); !some.empty(); some = list.next(ask))
    if (!std::all_of(some.begin(), some.end(), take)) return;
}

bool NodeImpl::is_discovered(const Nid& nid) {
  core::call::Show show;
  show.want_nis = false;
  show.peer = nid;
  const auto shown = ask(std::move(show));
  constexpr std::uint32_t kSettled = core::kPeerDiscovered | core::kPeerNidsUpToDate;
  constexpr std::uint32_t kUnsettled =
      core::kPeerDiscovering | core::kPeerForcePing | core::kPeerForcePush | core::kPeerRediscover;
  return shown && std::ranges::any_of(shown->peers, [](const core::PeerShow& peer) {
           return (peer.state_bits & (kSettled | kUnsettled)) == kSettled;
         });
}

Result<PathShow> NodeImpl::explain_path(const Nid& to, const Nid& from,
                                        std::optional<std::uint32_t> cpt) {
  if (cpt && *cpt >= cpts()) return fail(-ERANGE, "invalid CPT value");
  const OuterLoop::Call in_call;
  auto shown = ask(core::call::ExplainPath{to, from, cpt});
  // A shard asks the control shard about a peer before the shard's first message to that peer.
  if (shown && shown->waits && is_discovered(to)) shown->waits = false;
  return shown;
}

void NodeImpl::reset_stats() { (void)command(core::call::ResetStats{}); }

void NodeImpl::say(int level, const std::string& line) const {
  if (options_.log != nullptr) options_.log(options_.log_context, level, line.c_str());
}

}  // namespace ulnet::node

namespace ulnet {

Result<std::unique_ptr<Node>> Node::start(const NodeOptions& options) {
  auto node = node::Node::start(options);
  if (!node) return tl::unexpected<Error>(node.error());
  const auto routes_param = options.params.find("routes");
  const std::string routes = routes_param != options.params.end() ? routes_param->second : "";
  auto items = conf::routes_of_param(routes);
  if (!items) return tl::unexpected<Error>(items.error());
  const char* environment = std::getenv("ULNET_NETWORKS");
  const auto param = options.params.find("networks");
  const std::string networks = options.networks                ? *options.networks
                               : environment != nullptr        ? environment
                               : param != options.params.end() ? param->second
                                                               : "";
  if (!networks.empty())
    if (auto added = (*node)->add_networks(networks); !added)
      return tl::unexpected<Error>(added.error());
  for (const Result<void>& added : (*node)->add_routes(*items))
    if (!added) return fail(added.error().code, "routes: " + added.error().reason);
  node::wait_for_first_checks(**node, options.mode);
  return std::unique_ptr<Node>(*std::move(node));
}

}  // namespace ulnet
