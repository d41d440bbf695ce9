#include "lnet/node/nets.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lnet/catalog/known_drivers.h"
#include "lnet/config/ni_values.h"
#include "lnet/node/incarnation.h"
#include "lnet/node/link_trouble.h"
#include "lnet/node/runtime/log_levels.h"
#include "lnet/os/interfaces.h"

namespace ulnet::node {
namespace {

/// How long messages in flight may take to end by themselves when their NI is deleted; after that
/// the driver fails them.
constexpr Duration kDeleteGrace = std::chrono::seconds(1);

/// A driver's error when it could not start an NI, with the errno and the text that lnetctl's
/// users know.
Error cannot_add(const Error& error) {
  switch (error.code) {
    case -EEXIST:
      return error;
    case -ENODEV:
    case -ENXIO:
    case -ENETDOWN:
      return {-ENETDOWN, error.reason};
    default:
      return {error.code, "cannot add LNet NI" + (error.reason.empty() ? "" : ": " + error.reason)};
  }
}

/// The log line of a new NI, in the form in which production nodes print it: credits per peer,
/// credits of the NI, credits of a peer in a router's buffers, and the peer time-out
/// (tests/data/text/peer_errors.txt).
std::string added(const lnd::NiStarted& ni, const core::NetTunables& t) {
  std::string line = "Added LNI " + ni.nid.to_string() + " [" + std::to_string(t.peer_credits) +
                     "/" + std::to_string(t.credits) + "/" + std::to_string(t.peer_buffer_credits) +
                     "/" + std::to_string(t.peer_timeout) + "]";
  return ni.interface.empty() ? line : line + " on " + ni.interface;
}

/// The tunables of an NI: those of its net, as far as its driver's limits allow.
core::NetTunables within(core::NetTunables of_net, const lnd::MessageLimits& limits) {
  of_net.peer_credits = std::min(of_net.peer_credits, limits.peer_credits);
  return of_net;
}

/// The net of an NI, which its NID says if it is given.
NetId net_of(NetId net, const conf::NiItem& item) { return item.nid ? item.nid->net() : net; }

std::string device_of(const conf::NiItem& item) {
  return item.nid ? machine::device_of(*item.nid) : machine::device_of(item.interface);
}

}  // namespace

Nets::Nets(Runtime& runtime, Pid pid, bool prefer_large, std::uint32_t ping_sequence, Log log,
           void* log_context, NodeEvents& events)
    : runtime_(runtime),
      pid_(pid),
      prefer_large_(prefer_large),
      log_(log),
      log_context_(log_context),
      events_(events),
      interface_cookie_(next_incarnation()),
      ping_sequence_(ping_sequence),
      link_speed_([](const std::string& device) { return machine::link_speed_of(device); }) {}

Result<void> Nets::start_loopback(const Settings& settings) {
  globals_ = settings.globals();
  {
    const std::lock_guard lock(mutex_);
    routing_ = settings.routing();
  }
  const NetId lo = NetId::loopback();
  nets_[lo].tunables = core::NetTunables{0, 0, 0, 0};
  return start(lo, conf::NiItem{}, nets_[lo].tunables);
}

Result<void> Nets::check_new(NetId net, const conf::NiItem& item, const Settings& settings) const {
  if (const auto allowed = conf::check_not_loopback(net); !allowed) return allowed;
  if (!runtime_.has_driver(net.type)) return fail(-EINVAL, "LND type not supported");
  if (item.interface.empty() && !item.nid)
    return fail(-EINVAL, "creating a local NI needs at least one interface");
  for (const std::uint32_t cpt : item.cpts)
    if (cpt >= runtime_.partitions().count())
      return fail(-ERANGE, "invalid CPT value " + std::to_string(cpt) +
                               ": the last CPU partition is " +
                               std::to_string(runtime_.partitions().count() - 1));
  if (auto fit = lnd::check_ni_tunables(net, item.lnd_tunables); !fit) return fit;
  if (routes_now().nets().contains(net))
    return fail(-EUSERS, "routes lead to " + net.to_string() +
                             ", so this node cannot be on it: 'route del --net " + net.to_string() +
                             "' first");
  const auto limit = static_cast<std::size_t>(settings.globals().max_interfaces);
  if (nis_.size() >= limit)
    return fail(-ENOSPC, "too many NIs: max_interfaces is " + std::to_string(limit));
  const auto known = std::ranges::find_if(nis_, [&](const Ni& ni) {
    return item.nid ? ni.started.nid == *item.nid : ni.net == net && ni.goes_by(item.interface);
  });
  if (known == nis_.end()) return {};
  // An export names the CPTs to which an NI is bound.
  const bool others =
      !item.cpts.empty() && !std::ranges::is_permutation(item.cpts, cpts_of(*known));
  return fail(-EEXIST,
              (item.nid ? item.nid->to_string() : item.interface + " on net " + net.to_string()) +
                  " is there already" + (others ? "; " + std::string(conf::kCptIsFixed) : ""));
}

Result<void> Nets::add(NetId net, const conf::NiItem& item, const Settings& settings,
                       std::string* trouble) {
  net = net_of(net, item);
  if (auto fit = check_new(net, item, settings); !fit) return fit;
  auto tunables = settings.net_tunables(item.tunables);
  if (!tunables) return tl::unexpected<Error>(tunables.error());
  if (const auto at = nets_.find(net); at != nets_.end()) {
    if (item.tunables != conf::CommonTunables{} && *tunables != at->second.tunables)
      say(kWarning, "net " + net.to_string() + " keeps the tunables of its first NI");
    tunables = at->second.tunables;
  }
  const bool first =
      std::none_of(nis_.begin(), nis_.end(), [&](const Ni& ni) { return ni.net.type == net.type; });
  const auto started = start(net, item, *tunables, trouble);
  if (started && first && runtime_.row_of(net.type).greeting != nullptr)
    say(kInfo, runtime_.row_of(net.type).greeting(settings.params()));
  return started;
}

std::vector<std::uint32_t> Nets::owners_with(const Ni& first) {
  std::set<std::uint32_t> owners(first.cpts.begin(), first.cpts.end());
  bool all = first.cpts.empty();
  for (const conf::NiRef& ref : expected_) {
    if (net_of(ref.net, ref.ni) != first.net) continue;
    const auto cpts =
        ref.ni.cpts.empty() ? runtime_.partitions().beside(device_of(ref.ni)).cpts : ref.ni.cpts;
    all = all || cpts.empty();
    owners.insert(cpts.begin(), cpts.end());
  }
  std::erase_if(expected_,
                [&](const conf::NiRef& ref) { return net_of(ref.net, ref.ni) == first.net; });
  std::erase_if(owners, [&](std::uint32_t cpt) { return cpt >= runtime_.partitions().count(); });
  if (all) return {};
  return {owners.begin(), owners.end()};
}

std::vector<std::uint32_t> Nets::cpts_of(const Ni& ni) const {
  std::vector<std::uint32_t> cpts = ni.cpts;
  for (std::uint32_t cpt = 0; ni.cpts.empty() && cpt < runtime_.partitions().count(); ++cpt)
    cpts.push_back(cpt);
  return cpts;
}

Result<void> Nets::start(NetId net, const conf::NiItem& item, const core::NetTunables& tunables,
                         std::string* trouble) {
  lnd::NiSpec spec;
  spec.id = core::NiId{++last_id_};
  spec.net = net;
  spec.interface = item.nid ? std::string() : item.interface;
  spec.pid = pid_;
  spec.nid = item.nid;
  spec.large = prefer_large_;
  spec.options = item.lnd_tunables;
  spec.timeout = timeout_of(net.type);
  if (!deleted_.empty()) settle();
  Ni ni{.net = net, .asked = item.interface};
  // The NI of a driver without addresses depends on no device.
  if (runtime_.row_of(net.type).check_address != nullptr) ni.device = device_of(item);
  const auto beside = runtime_.partitions().beside(ni.device);
  ni.id = spec.id;
  ni.dev_cpt = beside.dev_cpt;
  ni.cpts = spec.cpts = item.cpts.empty() ? beside.cpts : item.cpts;
  auto started = runtime_.start_ni(spec);
  if (!started) {
    if (trouble != nullptr) *trouble = started.error().reason;
    const Error shown = cannot_add(started.error());
    const bool is_included = shown.reason.find(started.error().reason) != std::string::npos;
    if (!is_included)
      say(kWarning, net.to_string() + "(" + item.interface + "): " + started.error().reason);
    return tl::unexpected<Error>(shown);
  }
  use_incarnation(runtime_.last_incarnation());
  const bool doubled = std::any_of(
      nis_.begin(), nis_.end(), [&](const Ni& other) { return other.started.nid == started->nid; });
  if (doubled) {
    runtime_.with_driver(net.type, [&](lnd::Lnd& lnd) { lnd.stop_ni(spec.id); });
    return fail(-EEXIST, started->nid.to_string() + " is there already");
  }
  ni.started = *std::move(started);
  const std::pair line(ni.started.nid, added(ni.started, within(tunables, ni.started.limits)));
  const bool first =
      std::none_of(nis_.begin(), nis_.end(), [&](const Ni& other) { return other.net == net; });
  // owners_with() asks the system, so without the lock.
  const auto owners = first ? owners_with(ni) : nets_.at(net).owners;
  {
    const std::lock_guard lock(mutex_);
    // Inserts it after the last NI of its net, else at the end: nets stay in the order of their
    // creation, with the NIs of one net together.
    const auto same =
        std::find_if(nis_.rbegin(), nis_.rend(), [&](const Ni& other) { return other.net == net; });
    nis_.insert(same != nis_.rend() ? same.base() : nis_.end(), std::move(ni));
    nets_[net] = {tunables, owners};
  }
  if (net.type != NetType::kLo) news_.push_back(line);
  publish();
  return {};
}

Result<void> Nets::del(NetId net, const std::optional<std::string>& interface) {
  if (const auto allowed = conf::check_not_loopback(net); !allowed) return allowed;
  if (!nets_.contains(net)) return fail(-EINVAL, "cannot del network");
  std::vector<core::NiId> ids;
  for (const Ni& ni : nis_)
    if (ni.net == net && (!interface || ni.goes_by(*interface))) ids.push_back(ni.id);
  if (ids.empty()) return fail(-ENODEV, "cannot del LNet NI");
  return remove(ids);
}

Result<void> Nets::del_nid(const Nid& nid) {
  if (const auto allowed = conf::check_not_loopback(nid.net()); !allowed) return allowed;
  if (!nets_.contains(nid.net())) return fail(-EINVAL, "cannot del network");
  for (const Ni& ni : nis_)
    if (ni.started.nid == nid) return remove({ni.id});
  return fail(-ENODEV, "cannot del LNet NI");
}

Result<void> Nets::remove(const std::vector<core::NiId>& ids) {
  {
    const std::lock_guard lock(mutex_);
    for (const core::NiId id : ids) {
      const auto at =
          std::find_if(nis_.begin(), nis_.end(), [&](const Ni& ni) { return ni.id == id; });
      deleted_.push_back(std::move(*at));
      nis_.erase(at);
    }
    std::erase_if(nets_, [&](const auto& net) {
      return std::none_of(nis_.begin(), nis_.end(),
                          [&](const Ni& ni) { return ni.net == net.first; });
    });
  }
  del_routes_of_lost_nets();
  publish();
  return {};
}

void Nets::stop_all(Duration grace) {
  const Instant until = now() + grace;
  for (auto ni = nis_.rbegin(); ni != nis_.rend(); ++ni) {
    runtime_.stop_ni(ni->id, ni->net.type, std::max(Duration::zero(), until - now()));
    if (ni->net.type != NetType::kLo) report_removed(*ni);
  }
  const std::lock_guard lock(mutex_);
  nis_.clear();
  nets_.clear();
}

Result<void> Nets::set_ni(const std::optional<Nid>& nid, std::optional<int> health,
                          const conf::LndTunables& tunables) {
  const auto net = nid ? std::optional(nid->net()) : std::nullopt;
  if (auto fit = lnd::check_ni_tunables(net, tunables); !fit) return fit;
  for (const auto& [name, value] : tunables)
    if (!lnd::find_ni_tunable(net, name)->while_running)
      return fail(-EINVAL, "'" + name + "' cannot be changed while an NI runs");
  if (health) {
    settle();  // the shards must know the NI
    core::ApiCall call;
    call.body = core::call::SetNiHealth{nid.value_or(Nid::any()),
                                        static_cast<std::int32_t>(conf::health_of(*health))};
    (void)runtime_.call(call);  // an unknown NID is silently accepted (spec/cli-lnetctl.md 3.5)
  }
  for (const Ni& ni : nis_) {
    if (nid && ni.started.nid != *nid) continue;
    lnd::NiTuning tuning;  // of all NIs, those whose driver has the tunable take it
    for (const auto& [name, value] : tunables)
      if (ni.started.options.contains(name)) tuning.options.emplace(name, value);
    if (tuning.options.empty()) continue;
    if (auto tuned = tune(ni.id, tuning); !tuned) return tuned;
  }
  return {};
}

Result<void> Nets::set_lnd_timeout(NetId net, int seconds, const core::Globals& globals) {
  if (net.is_any() || !runtime_.has_driver(net.type) || net.type == NetType::kLo)
    return fail(-EINVAL, "Invalid network type: " + net.to_string());
  if (seconds < 0)
    return fail(-EINVAL,
                "Invalid LND timeout value '" + std::to_string(seconds) + "', must be >= 0");
  lnd_timeouts_[net.type] = seconds;
  apply(globals);
  return {};
}

Duration Nets::timeout_of(NetType type) const {
  const auto set = lnd_timeouts_.find(type);
  if (set == lnd_timeouts_.end()) return {};
  return std::chrono::seconds(set->second != 0 ? set->second : core::lnd_timeout_seconds(globals_));
}

void Nets::apply(const core::Globals& globals) {
  globals_ = globals;
  for (Ni& ni : nis_) {
    const Duration timeout = timeout_of(ni.net.type);
    if (timeout == Duration::zero() || timeout == ni.started.timeout) continue;
    (void)tune(ni.id, {.timeout = timeout});
  }
  publish();
}

Result<void> Nets::tune(core::NiId id, const lnd::NiTuning& tuning) {
  const auto at = std::find_if(nis_.begin(), nis_.end(), [&](const Ni& ni) { return ni.id == id; });
  auto tuned =
      runtime_.with_driver(at->net.type, [&](lnd::Lnd& lnd) { return lnd.tune_ni(id, tuning); });
  if (!tuned) return tl::unexpected<Error>(tuned.error());
  const std::lock_guard lock(mutex_);
  at->started = *std::move(tuned);
  return {};
}

void Nets::together(const std::function<void()>& changes) {
  gathering_ = true;
  try {
    changes();
  } catch (...) {
    gathering_ = false;
    throw;  // the next change publishes what is done
  }
  gathering_ = false;
  settle();
}

void Nets::report(int level, const Nid& ni, const std::string& line) const {
  say(level, line);
  events_.add({.type = NodeEvent::Type::kNi,
               .level = static_cast<std::uint8_t>(level),
               .nid = ni,
               .text = line});
}

void Nets::report_removed(const Ni& ni) const {
  report(kInfo, ni.started.nid, "Removed LNI " + ni.started.nid.to_string());
}

void Nets::publish() {
  unpublished_ = true;
  if (!gathering_) settle();
}

void Nets::settle() {
  if (!unpublished_) return;
  give_snapshot();
  unpublished_ = false;  // if memory was short for the snapshot, the next change publishes it
  std::vector<core::NiId> added;
  {
    const std::lock_guard lock(mutex_);
    for (Ni& ni : nis_)
      if (!std::exchange(ni.published, true)) added.push_back(ni.id);
  }
  for (const auto& [ni, line] : std::exchange(news_, {})) report(kInfo, ni, line);
  const bool other = !added.empty() || !deleted_.empty();
  stop_deleted();
  if (other) notify_change();
  // The report that its link is down may have come before the shards knew the NI.
  for (const core::NiId id : added) look_at_links(id);
}

void Nets::stop_deleted() {
  const Instant until = now() + kDeleteGrace;
  for (const Ni& ni : std::exchange(deleted_, {})) {
    if (ni.published)
      runtime_.stop_ni(ni.id, ni.net.type, std::max(Duration::zero(), until - now()));
    else  // no shard knows the NI, so no shard will report it drained
      runtime_.with_driver(ni.net.type, [&](lnd::Lnd& lnd) { lnd.stop_ni(ni.id); });
    report_removed(ni);
  }
}

bool Nets::has_nets_with_far_nis() const {
  std::map<NetId, std::int32_t> first;
  return std::any_of(nis_.begin(), nis_.end(), [&](const Ni& ni) {
    return first.try_emplace(ni.net, ni.dev_cpt).first->second != ni.dev_cpt;
  });
}

void Nets::give_snapshot() {
  auto snapshot = std::make_shared<core::NodeConfig>();
  snapshot->generation = ++generation_;
  snapshot->interface_cookie = interface_cookie_;
  snapshot->ping_sequence = ping_sequence_;
  snapshot->pid = pid_;
  snapshot->shards = runtime_.partitions().count();
  snapshot->announces_memory = runtime_.hosts().announces_memory();
  snapshot->distances = runtime_.partitions().distances();
  snapshot->globals = globals_;
  snapshot->udsp = udsp_;
  snapshot->routing = routing_;
  if (next_routes_ != nullptr) routes_ = std::exchange(next_routes_, nullptr);
  snapshot->routes = routes_;
  snapshot->nis.reserve(nis_.size());
  for (const Ni& ni : nis_)
    snapshot->nis.push_back({ni.id, ni.started.nid,
                             within(nets_[ni.net].tunables, ni.started.limits), ni.started.timeout,
                             true, ni.started.rdma_get, ni.cpts, ni.dev_cpt});
  for (const auto& [id, net] : nets_) snapshot->owners.push_back({id, net.owners});
  distance_matters_.store(!snapshot->distances.empty() && has_nets_with_far_nis(),
                          std::memory_order_relaxed);
  runtime_.hosts().configure(std::move(snapshot));
  events_.add({.type = NodeEvent::Type::kConfig,
               .detail = generation(),
               .text = "the configuration has changed, snapshot " + std::to_string(generation())});
}

void Nets::on_change(std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  changed_ = std::move(changed);
}

void Nets::notify_change() const {
  std::function<void()> changed;
  {
    const std::lock_guard lock(mutex_);
    changed = changed_;
  }
  if (changed) changed();
}

std::vector<Nets::Row> Nets::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> rows;
  rows.reserve(nis_.size());
  for (const Ni& ni : nis_) {
    NiShow show;
    show.nid = ni.started.nid;
    show.net = ni.net;
    show.up = ni.link != core::NiLink::kFailed;
    show.interface = ni.net.type == NetType::kLo ? std::string() : ni.started.interface;
    show.tunables = within(nets_.at(ni.net).tunables, ni.started.limits);
    show.limits = ni.started.limits;
    show.lnd_tunables = ni.started.options;
    show.lnd_timeout = static_cast<std::int32_t>(
        std::chrono::duration_cast<std::chrono::seconds>(ni.started.timeout).count());
    show.dev_cpt = ni.dev_cpt;
    show.cpts = cpts_of(ni);
    show.accept_note = ni.started.accept_note;
    rows.push_back({ni.id, std::move(show)});
  }
  return rows;
}

}  // namespace ulnet::node
