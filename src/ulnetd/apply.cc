#include "ulnetd/apply.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lnet/catalog/known_drivers.h"
#include "lnet/config/globals.h"
#include "lnet/config/params.h"
#include "text/quantity.h"

namespace ulnet::tools {

using namespace conf::change;

namespace {

bool same_ni(const conf::NiItem& a, const conf::NiItem& b) {
  return a.interface == b.interface && a.nid == b.nid;
}

void take_ni_out(conf::Config& config, const conf::NiRef& ref) {
  for (conf::NetItem& net : config.nets)
    if (net.net == ref.net)
      std::erase_if(net.nis, [&](const conf::NiItem& ni) { return same_ni(ni, ref.ni); });
  std::erase_if(config.nets, [](const conf::NetItem& net) { return net.nis.empty(); });
}

void put_in(conf::Config& config, const conf::NiRef& ref) {
  for (conf::NetItem& net : config.nets)
    if (net.net == ref.net) return net.nis.push_back(ref.ni);
  config.nets.push_back({.net = ref.net, .nis = {ref.ni}});
}

std::set<NetId> nets_of(const std::vector<conf::NiRef>& nis) {
  std::set<NetId> nets;
  for (const conf::NiRef& ref : nis) nets.insert(ref.net);
  return nets;
}

/// True when the file does not set the value, or sets it to the current one.
template <class T>
bool holds(const std::optional<T>& configured, T is) {
  return !configured || *configured == is;
}

/// True when an NI that is up has every driver tunable that `configured` gives and that cannot
/// change while the NI runs.
bool holds_fixed(const conf::LndTunables& configured, const node::NiShow& ni) {
  return std::ranges::all_of(lnd::ni_tunables(ni.net.type), [&](const conf::LndTunable& tunable) {
    const auto configured_value = configured.find(tunable.name);
    if (tunable.while_running || configured_value == configured.end()) return true;
    const auto held = ni.lnd_tunables.find(tunable.name);
    return held != ni.lnd_tunables.end() && held->second == configured_value->second;
  });
}

/// True when an NI that is up has all tunables of `configured`, except those that can be set on it.
/// Numbers that mean the default agree with any value.
bool has(const node::NiShow& ni, const conf::NiItem& configured) {
  const conf::CommonTunables& net = configured.tunables;
  const core::NetTunables& is = ni.tunables;
  // A peer cannot have more credits than the NI (spec/wire-socklnd.md 11).
  const bool peer_credits =
      !net.peer_credits || std::min(*net.peer_credits, is.credits) == is.peer_credits;
  return (net.peer_timeout == -1 || holds(net.peer_timeout, is.peer_timeout)) &&
         holds(net.credits, is.credits) && peer_credits &&
         holds(net.peer_buffer_credits, is.peer_buffer_credits) &&
         holds_fixed(configured.lnd_tunables, ni) &&
         (configured.cpts.empty() || configured.cpts == ni.cpts);
}

/// One change of the transaction, and what follows from its result.
struct Step {
  conf::Change change;
  std::string verb{};  ///< as Failure's
  std::string part{};
  std::optional<std::string> value{};  ///< of a setting
  std::function<void()> undo{};        ///< takes a change that failed out of Outcome::now
  std::optional<conf::NiRef> ni{};     ///< the NI that is added
  /// Errors that say that the state is as configured.
  std::vector<int> well{};
  bool counts = true;  ///< as a change; false: it is a part of the next step
};

/// Collects the steps from one configuration to another, makes them in one transaction, and reports
/// what has come of them.
class Applying {
 public:
  Applying(node::Node& node, const conf::Config& from, const conf::Config& to)
      : node_(node), from_(from), before_(node.state()) {
    outcome_.now = to;
  }

  Outcome run() {
    const conf::Difference difference = conf::difference(from_, outcome_.now);
    for (const auto& [name, value] : difference.params) set_param(name, value);
    if (difference.udsp) set_udsp(*difference.udsp);
    for (const conf::RouteItem& route : difference.del_routes) remove(route);
    for (const conf::NiRef& ref : difference.del) remove(ref);
    for (const NetId net : nets_of(difference.add)) remove_shared_routes_to(net);
    for (const conf::NiRef& ref : difference.add) add(ref);
    for (const conf::NiRef& ref : difference.set) set(ref);
    if (difference.buffers) set_buffers(*difference.buffers);
    if (difference.routing) set_routing(*difference.routing);
    for (const conf::PeerItem& peer : difference.del_peers) remove(peer);
    for (const conf::PeerItem& peer : difference.add_peers) add(peer);
    // After the peers: a peer that is a gateway cannot be configured any more.
    add_routes(difference);
    set_globals(difference.globals);
    make();
    return std::move(outcome_);
  }

 private:
  void make() {
    std::vector<conf::Change> changes;
    for (const Step& step : steps_) changes.push_back(step.change);
    const std::vector<Result<void>> results = node_.change_all(changes);
    for (std::size_t i = 0; i < steps_.size(); ++i) note(steps_[i], results[i]);
  }
  void note(Step& step, const Result<void>& result) {
    if (!result) {
      if (std::ranges::find(step.well, result.error().code) != step.well.end()) return;
      const auto* const params = std::get_if<SetParams>(&step.change);
      if (params != nullptr && result.error().code == -EBUSY)
        return outcome_.postponed.push_back(params->values.front().first);
      if (step.undo) step.undo();
      outcome_.failures.push_back(
          {std::move(step.verb), std::move(step.part), result.error(), std::move(step.ni)});
      return;
    }
    outcome_.changes += step.counts ? 1 : 0;
    if (step.value) outcome_.settings.push_back(step.verb + step.part + " = " + *step.value);
  }
  template <class Map>
  static void put_back(Map& now, const Map& before, const std::string& name) {
    const auto at = before.find(name);
    if (at == before.end())
      now.erase(name);
    else
      now[name] = at->second;
  }

  void set_param(const std::string& name, const std::string& value) {
    if (const conf::Param* param = conf::find_param(name); param != nullptr)
      changed_globals_.insert(std::string(param->global));
    steps_.push_back({.change = SetParams{{{name, value}}},
                      .part = conf::name_of_param(name),
                      .value = value,
                      .undo = [this, name] { put_back(outcome_.now.params, from_.params, name); }});
  }
  void set_udsp(const std::vector<core::udsp::Rule>& wanted) {
    steps_.push_back({.change = SetPolicies{wanted},
                      .part = conf::kPolicies,
                      .value = std::to_string(wanted.size()),
                      .undo = [this] { outcome_.now.udsp = from_.udsp; }});
  }
  void remove(const conf::NiRef& ref) {
    if (const node::NiShow* there = find(ref)) going_.insert(there->nid);
    // The administrator may have removed the NI: then the state is as configured.
    steps_.push_back(
        {.change = ref.ni.nid ? DelNi{.nid = ref.ni.nid} : DelNi{ref.net, ref.ni.interface},
         .verb = "removing ",
         .part = conf::name_of(ref),
         .undo = [this, ref] { put_in(outcome_.now, ref); },
         .well = {-ENODEV, -EINVAL, -ENOENT}});
  }
  void add(const conf::NiRef& ref) {
    const node::NiShow* there = find(ref);
    if (there != nullptr && !going_.contains(there->nid)) {
      if (has(*there, ref.ni)) return set_missing(*there, ref);
      // The NI is up with other tunables: add it again.
      steps_.push_back({.change = DelNi{.nid = there->nid},
                        .verb = "removing ",
                        .part = conf::name_of(ref),
                        .well = {-ENODEV, -EINVAL, -ENOENT},
                        .counts = false});
    }
    steps_.push_back({.change = AddNi{ref.net, ref.ni},
                      .verb = "adding ",
                      .part = conf::name_of(ref),
                      .undo = [this, ref] { take_ni_out(outcome_.now, ref); },
                      .ni = ref});
  }
  void remove(const conf::RouteItem& route) {
    steps_.push_back({.change = DelRoutes{{route}},
                      .verb = "removing ",
                      .part = conf::name_of(route),
                      .undo = [this, route] { outcome_.now.routes.push_back(route); },
                      .well = {-ENOENT}});
  }
  /// Deletes the routes to a net that the node joins. They come from a text that nodes of a site
  /// share, and were for this node as long as it was not on the net.
  void remove_shared_routes_to(NetId net) {
    for (const conf::RouteItem& route : outcome_.now.routes)
      if (route.shared && route.net == net &&
          routes_before().contains(std::pair(route.net, route.gateway)))
        steps_.push_back({.change = DelRoutes{{route}},
                          .verb = "removing ",
                          .part = conf::name_of(route),
                          .well = {-ENOENT},
                          .counts = false});
  }
  /// Adds the new routes, and those that were deleted with the net of their gateways.
  void add_routes(const conf::Difference& difference) {
    // Nets that may have been gone for a moment; nets whose shared routes were not for this node.
    const std::set<NetId> shaken = nets_of(difference.del), joined = nets_of(difference.add);
    std::set<std::pair<NetId, Nid>> added;
    for (const conf::RouteItem& route : difference.add_routes) {
      added.emplace(route.net, route.gateway);
      add(route);
    }
    for (const conf::RouteItem& route : outcome_.now.routes) {
      const NetId by = route.gateway.net();
      const bool was_lost = shaken.contains(by);
      if ((was_lost || (route.shared && joined.contains(by))) &&
          !added.contains(std::pair(route.net, route.gateway)))
        add(route, was_lost);
    }
  }
  void add(const conf::RouteItem& route, bool counts = true) {
    const auto before = routes_before().find(std::pair(route.net, route.gateway));
    const bool there =
        before != routes_before().end() && before->second == static_cast<const core::Route&>(route);
    steps_.push_back({.change = AddRoutes{{route}},
                      .verb = "adding ",
                      .part = conf::name_of(route),
                      .undo =
                          [this, route] {
                            std::erase_if(outcome_.now.routes, [&](const conf::RouteItem& other) {
                              return other.net == route.net && other.gateway == route.gateway;
                            });
                          },
                      .well = there ? std::vector<int>{-EEXIST} : std::vector<int>(),
                      .counts = counts});
  }
  void set_buffers(const conf::Buffers& wanted) {
    const auto number = [](std::uint32_t count) { return static_cast<std::int32_t>(count); };
    steps_.push_back({.change = SetRouting{.buffers = {number(wanted.tiny), number(wanted.small),
                                                       number(wanted.large)}},
                      .part = conf::kBuffers,
                      .value = std::to_string(wanted.tiny) + ", " + std::to_string(wanted.small) +
                               ", " + std::to_string(wanted.large),
                      .undo = [this] { outcome_.now.buffers = from_.buffers; }});
  }
  void set_routing(bool on) {
    steps_.push_back({.change = SetRouting{on},
                      .part = conf::kRouting,
                      .value = on ? "on" : "off",
                      .undo = [this] { outcome_.now.routing = from_.routing; }});
  }
  void remove(const conf::PeerItem& peer) {
    steps_.push_back({.change = DelPeer{peer.primary, {}, true},
                      .verb = "removing ",
                      .part = conf::name_of(peer),
                      .undo =
                          [this, peer] {
                            take_out(peer);
                            outcome_.now.peers.push_back(peer);
                          },
                      .well = {-ENOENT}});
  }
  void add(const conf::PeerItem& peer) {
    steps_.push_back(
        {.change = peer, .verb = "adding ", .part = conf::name_of(peer), .undo = [this, peer] {
           take_out(peer);
         }});
  }
  void take_out(const conf::PeerItem& peer) {
    std::erase_if(outcome_.now.peers,
                  [&](const conf::PeerItem& other) { return other.primary == peer.primary; });
  }
  /// The configured value of an NI's tunable; without one, its value by default.
  static std::int32_t configured_value(const conf::NiRef& ref, const conf::LndTunable& tunable) {
    const auto at = ref.ni.lnd_tunables.find(tunable.name);
    return at == ref.ni.lnd_tunables.end() ? tunable.initial : at->second;
  }
  void set_tunable(const Nid& nid, const conf::NiRef& ref, const conf::LndTunable& tunable,
                   std::int32_t value, std::function<void()> undo) {
    const std::string name(tunable.name);
    steps_.push_back({.change = SetNi{.nid = nid, .tunables = {{name, value}}},
                      .verb = name + " of ",
                      .part = conf::name_of(ref),
                      .value = std::to_string(value),
                      .undo = std::move(undo)});
  }
  /// Sets the configured values that differ from those of the NI that is up.
  void set_missing(const node::NiShow& there, const conf::NiRef& ref) {
    for (const conf::LndTunable& tunable : lnd::ni_tunables(ref.net.type)) {
      const std::int32_t value = configured_value(ref, tunable);
      const auto is = there.lnd_tunables.find(tunable.name);
      const bool other = is == there.lnd_tunables.end() || is->second != value;
      if (tunable.while_running && other && value != tunable.initial && tunable.range.has(value))
        set_tunable(there.nid, ref, tunable, value, {});
    }
  }
  void set(const conf::NiRef& ref) {
    const auto keep_old = [this, ref] {
      take_ni_out(outcome_.now, ref);  // so that the next call tries it again
      for (const conf::NetItem& net : from_.nets)
        for (const conf::NiItem& ni : net.nis)
          if (net.net == ref.net && same_ni(ni, ref.ni)) put_in(outcome_.now, {net.net, ni});
    };
    const node::NiShow* there = find(ref);
    for (const conf::LndTunable& tunable : lnd::ni_tunables(ref.net.type))
      if (tunable.while_running && there != nullptr)
        set_tunable(there->nid, ref, tunable, configured_value(ref, tunable), keep_old);
      else if (tunable.while_running)
        outcome_.failures.push_back({std::string(tunable.name) + " of ",
                                     conf::name_of(ref),
                                     {-ENODEV, "the NI is not up"}});
    if (there == nullptr) keep_old();
  }
  /// transaction_timeout has to be above retry_count all the time: when both grow, it grows first.
  void set_globals(const std::map<std::string, std::int64_t>& values) {
    const std::string first = "transaction_timeout";
    const auto timeout = values.find(first);
    const bool grows =
        timeout != values.end() && timeout->second > before_.globals.transaction_timeout;
    if (grows) set_global(first, timeout->second);
    for (const auto& [name, value] : values)
      if (!grows || name != first) set_global(name, value);
  }
  void set_global(const std::string& name, std::int64_t value) {
    const bool is = conf::get_global(before_.globals, name) == value;
    if (is && !changed_globals_.contains(name)) return;
    steps_.push_back(
        {.change = SetGlobals{{{name, value}}},
         .part = conf::name_of_global(name),
         .value = std::to_string(value),
         .undo = [this, name] { put_back(outcome_.now.globals, from_.globals, name); }});
  }

  using Routes = std::map<std::pair<NetId, Nid>, core::Route>;
  /// The routes that the node had before, read when they are needed first.
  const Routes& routes_before() {
    if (routes_before_) return *routes_before_;
    routes_before_.emplace();
    for (const core::RouteRow& row : routes_of(node_).routes)
      routes_before_->emplace(std::pair(row.route.net, row.route.gateway), row.route);
    return *routes_before_;
  }

  /// The NI that was up before and that `ref` names; null: there was none.
  const node::NiShow* find(const conf::NiRef& ref) const {
    // An NI configured by its address has its device's name as its interface.
    const auto address = Nid::parse(ref.ni.interface + "@" + ref.net.to_string());
    for (const node::NiShow& ni : before_.nis) {
      const bool same = ref.ni.nid ? ni.nid == *ref.ni.nid
                                   : ni.net == ref.net && (ni.interface == ref.ni.interface ||
                                                           (address && ni.nid == *address));
      if (same) return &ni;
    }
    return nullptr;
  }

  node::Node& node_;
  const conf::Config& from_;
  const node::NodeState before_;
  std::optional<Routes> routes_before_;
  std::set<Nid> going_;                    // of the NIs that the transaction deletes
  std::set<std::string> changed_globals_;  // those that parameters of the transaction set
  std::vector<Step> steps_;
  Outcome outcome_;
};

}  // namespace

std::string summary(const Outcome& outcome) {
  return text::counted(outcome.changes, "change") + ", " +
         text::counted(outcome.failures.size(), "failure");
}

Outcome apply(node::Node& node, const conf::Config& from, const conf::Config& to) {
  return Applying(node, from, to).run();
}

}  // namespace ulnet::tools
