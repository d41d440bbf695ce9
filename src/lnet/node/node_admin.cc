// The administrator's side of a node: starting, showing, what it reports, stopping. node_changes.cc
// configures it. Source: spec/cli-lnetctl.md 3, 11, spec/multirail.md 9.4.
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

bool of_discovery(const core::Note& note) {
  using A = core::Note::About;
  return note.about == A::kDiscovery || note.about == A::kDiscovered;
}

/// Among notes that are not logged, the steps of a discovery are routine; the others report a
/// change.
core::Note::Level level_of(const core::Note& note) {
  using L = core::Note::Level;
  if (note.level != L::kUnlogged) return note.level;
  return of_discovery(note) ? L::kDebug : L::kInfo;
}

Result<std::unique_ptr<Node>> start_node(const NodeOptions& options, const MachineView& machine,
                                         std::uint32_t ping_sequence,
                                         std::vector<DriverRow> drivers, bool trial = false) {
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
                                           ping_sequence, std::move(drivers), trial);
    if (auto begun = node->begin(); !begun) return tl::unexpected<Error>(begun.error());
    return node;
  } catch (const std::system_error& lacking) {  // the system had no thread or no descriptor
    return fail(-lacking.code().value(), std::string("cannot start: ") + lacking.what());
  } catch (const std::bad_alloc&) {
    return fail(-ENOMEM, "cannot start: no memory");
  }
}

}  // namespace

Result<std::unique_ptr<Node>> Node::start(const NodeOptions& options, const MachineView& machine,
                                          std::uint32_t ping_sequence,
                                          std::vector<DriverRow> more) {
  more.insert(more.begin(), all_drivers().begin(), all_drivers().end());
  return start_node(options, machine, ping_sequence, std::move(more));
}

Result<std::unique_ptr<Node>> Node::start_trial(const NodeOptions& options,
                                                const MachineView& machine, MakeTrialDriver tcp) {
  return start_node(options, machine, 0, trial_drivers(std::move(tcp)), true);
}

NodeImpl::NodeImpl(const NodeOptions& options, Settings settings, Partitions partitions,
                   std::uint32_t ping_sequence, std::vector<DriverRow> drivers, bool trial)
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
                events_.get(),
                std::move(drivers),
                trial},
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
  if (!runtime_.trial()) watch_links();
  routing_was_on_ = settings_.routing().on;
  return nets_.start_loopback(settings_);
}

void NodeImpl::watch_links() {
  const bool watching =
      link_watch_.start([this] { return nets_.look_at_links(); }, !runtime_.polled());
  if (!watching)
    say(kWarning, "no rtnetlink: the node does not notice links and addresses that disappear");
  if (runtime_.polled()) runtime_.set_housekeeping([this] { link_watch_.poll(); });
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

Result<void> NodeImpl::add_networks(std::string_view networks) {
  return configure([&] { return add_all(networks); });
}

Result<void> NodeImpl::add_all(std::string_view networks) {
  if (networks.empty()) return {};
  auto items = conf::resolve_networks(networks, {}, machine::local_interfaces());
  if (!items) return tl::unexpected<Error>(items.error());
  nets_.expect(conf::nis_of(*items));
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

node::Node::RoutingShow NodeImpl::routing() {
  const OuterLoop::Call in_call;
  RoutingShow shown;
  shown.now = ask(core::call::ShowRouting{}).value_or(core::call::ShowRouting{});
  shown.wanted = nets_.routing();
  shown.was_on = routing_was_on_.load(std::memory_order_relaxed);
  return shown;
}

core::call::ShowRoutes routes_of(Node& node) {
  return core::ask(node, core::call::ShowRoutes{}).value_or(core::call::ShowRoutes{});
}

std::vector<Nid> in_recovery(Node& node, bool local) {
  return core::ask(node, core::call::ShowRecovery{local}).value_or(core::call::ShowRecovery{}).nids;
}

core::call::Show totals(Node& node) {
  return core::ask(node, core::call::Show{.want_nis = false, .want_peers = false})
      .value_or(core::call::Show{});
}

namespace {

/// Whether a message to this peer needs no discovery.
bool is_discovered(Node& node, const Nid& nid) {
  constexpr std::uint32_t kSettled = core::kPeerDiscovered | core::kPeerNidsUpToDate;
  constexpr std::uint32_t kUnsettled =
      core::kPeerDiscovering | core::kPeerForcePing | core::kPeerForcePush | core::kPeerRediscover;
  bool discovered = false;
  node.for_each_peer(nid, [&](const core::PeerShow& peer) {
    discovered |= (peer.state_bits & (kSettled | kUnsettled)) == kSettled;
    return true;
  });
  return discovered;
}

}  // namespace

Result<PathShow> explain_path(Node& node, const Nid& to, const Nid& from,
                              std::optional<std::uint32_t> cpt) {
  if (cpt && *cpt >= node.cpts()) return fail(-ERANGE, "invalid CPT value");
  auto shown = core::ask(node, core::call::ExplainPath{to, from, cpt});
  // A shard asks the control shard about a peer before the shard's first message to that peer.
  if (shown && shown->waits && is_discovered(node, to)) shown->waits = false;
  return shown;
}

bool first_checks_are_over(Node& node) {
  if (!node.routing().wanted.check_before_use) return true;
  return std::ranges::none_of(routes_of(node).routes, [](const core::RouteRow& row) {
    return row.trouble == core::RouteTrouble::kUntried;
  });
}

namespace {

/// Lets the node run for this time.
void run_node_for(Node& node, Mode mode, std::chrono::nanoseconds time) {
  if (mode != Mode::kInline) return std::this_thread::sleep_for(time);
  const auto end = std::chrono::steady_clock::now() + time;
  for (; time.count() > 0; time = end - std::chrono::steady_clock::now()) node.progress(time);
}

}  // namespace

void wait_for_first_checks(Node& node, Mode mode, const std::function<bool()>& gives_up) {
  // A gateway that is up answers soon, so the first pauses are short.
  std::chrono::milliseconds time(2);
  // Each first check ends by its own deadline, so this loop ends too.
  while (!first_checks_are_over(node)) {
    if (gives_up && gives_up()) return;
    run_node_for(node, mode, time);
    time = std::min(2 * time, kUntilFirstChecksAreAskedFor);
  }
}

std::vector<Nid> NodeImpl::nids_of_peer(const Nid& nid) {
  std::vector<Nid> nids;
  for_each_peer(nid, [&](const core::PeerShow& peer) {
    for (const core::PeerNiShow& ni : peer.nis) nids.push_back(ni.nid);
    return true;
  });
  return nids;
}

void NodeImpl::write_note(void* self, const core::Note& note) {
  auto& node = *static_cast<NodeImpl*>(self);
  const bool discovered = note.about == core::Note::About::kDiscovered;
  const std::string text = to_string(note);
  node.events_->add({.type = discovered ? core::Note::About::kPeer : note.about,
                     .level = static_cast<std::uint8_t>(level_of(note)),
                     .of_discovery = of_discovery(note),
                     .nid = note.nid,
                     .detail = note.detail,
                     .text = text,
                     .nids = discovered ? node.nids_of_peer(note.nid) : std::vector<Nid>()});
  if (note.level == core::Note::Level::kUnlogged) return;
  const bool about_nid = !note.nid.is_any() && !names_its_nid(note);
  node.say(static_cast<int>(note.level), about_nid ? note.nid.to_string() + ": " + text : text);
}

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
  if (const auto added = (*node)->change(conf::change::AddRoutes{*std::move(items)}); !added)
    return fail(added.error().code, "routes: " + added.error().reason);
  node::wait_for_first_checks(**node, options.mode);
  return std::unique_ptr<Node>(*std::move(node));
}

}  // namespace ulnet
