#include "ulnetd/apply.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "lnet/config/globals.h"
#include "lnet/config/ni_values.h"

namespace ulnet::tools {

namespace {

std::string named(const conf::NiRef& ref) {
  return ref.ni.nid ? ref.ni.nid->to_string() : ref.net.to_string() + "(" + ref.ni.interface + ")";
}

std::string named(const conf::RouteItem& route) {
  return "route to " + route.net.to_string() + " through " + route.gateway.to_string();
}

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

/// True when the file does not set the value, or sets it to the current one.
template <class T>
bool holds(const std::optional<T>& configured, T is) {
  return !configured || *configured == is;
}

/// True when an NI that is up has every driver tunable that `configured` gives and that cannot
/// change while the NI runs.
bool holds_fixed(const conf::LndTunables& configured, const conf::LndTunables& is) {
  return std::ranges::all_of(conf::kLndTunables, [&](const conf::LndTunable& tunable) {
    const auto configured_value = configured.find(tunable.name);
    if (tunable.while_running || configured_value == configured.end()) return true;
    const auto held = is.find(tunable.name);
    return held != is.end() && held->second == configured_value->second;
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
         holds_fixed(configured.lnd_tunables, ni.lnd_tunables) &&
         (configured.cpts.empty() || configured.cpts == ni.cpts);
}

class Applying {
 public:
  Applying(node::Node& node, const conf::Config& from, const conf::Config& to)
      : node_(node), from_(from) {
    outcome_.now = to;
  }

  Outcome run() {
    const conf::Difference difference = conf::difference(from_, outcome_.now);
    for (const auto& [name, value] : difference.params) set_param(name, value);
    if (difference.udsp) set_udsp(*difference.udsp);
    for (const conf::RouteItem& route : difference.del_routes) remove(route);
    for (const conf::NiRef& ref : difference.del) remove(ref);
    (void)node_.expect_nis(difference.add);  // a stopped node takes none of them
    for (const conf::NiRef& ref : difference.add) add(ref);
    for (const conf::NiRef& ref : difference.set) set(ref);
    if (difference.buffers) set_buffers(*difference.buffers);
    if (difference.routing) set_routing(*difference.routing);
    for (const conf::PeerItem& peer : difference.del_peers) remove(peer);
    for (const conf::PeerItem& peer : difference.add_peers) add(peer);
    // After the peers: a peer that is a gateway cannot be configured any more.
    add_routes(difference);
    const core::Globals globals = node_.state().globals;
    for (const auto& [name, value] : difference.globals)
      if (conf::get_global(globals, name) != value) set_global(name, value);
    return std::move(outcome_);
  }

 private:
  /// Counts a success, or records a failure of `what`. Returns whether it was a success.
  bool note(const Result<void>& result, std::string what, std::optional<conf::NiRef> added = {}) {
    if (result)
      ++outcome_.changes;
    else
      outcome_.failures.push_back({std::move(what), result.error(), std::move(added)});
    return result.has_value();
  }
  /// As note(), for a setting; records a success with its value.
  bool note_setting(const Result<void>& result, const std::string& name, const std::string& value) {
    if (result) outcome_.settings.push_back(name + " = " + value);
    return note(result, name);
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
    const auto set = node_.set_param(name, value);
    if (!set && set.error().code == -EBUSY) {
      outcome_.postponed.push_back(name);
      return;
    }
    if (!note_setting(set, "parameter " + name, value))
      put_back(outcome_.now.params, from_.params, name);
  }
  void set_udsp(const std::vector<core::udsp::Rule>& wanted) {
    const auto set = node_.change_udsp([&](core::udsp::RuleList& rules) {
      rules.clear();
      Result<void> added;
      for (const core::udsp::Rule& rule : wanted)
        if (added) added = rules.add(rule);
      return added;
    });
    if (!note_setting(set, "selection policies", std::to_string(wanted.size())))
      outcome_.now.udsp = from_.udsp;
  }
  void remove(const conf::NiRef& ref) {
    const auto removed =
        ref.ni.nid ? node_.nid_del(*ref.ni.nid) : node_.net_del(ref.net, ref.ni.interface);
    // The administrator may have removed the NI: then the state is as configured.
    const bool gone =
        !removed && (removed.error().code == -ENODEV || removed.error().code == -EINVAL ||
                     removed.error().code == -ENOENT);
    if (!gone && !note(removed, "removing " + named(ref))) put_in(outcome_.now, ref);
  }
  void add(const conf::NiRef& ref) {
    auto added = node_.net_add(ref.net, ref.ni);
    if (!added && added.error().code == -EEXIST) {
      const auto there = find(ref);
      if (there && has(*there, ref.ni)) return set_missing(*there, ref);
      // The NI is up with other tunables: add it again.
      if (there)
        added = node_.nid_del(there->nid).and_then([&] { return node_.net_add(ref.net, ref.ni); });
    }
    if (!note(added, "adding " + named(ref), ref)) take_ni_out(outcome_.now, ref);
  }
  void remove(const conf::RouteItem& route) {
    const auto removed = node_.route_del(route.net, route.gateway);
    if (!removed && removed.error().code == -ENOENT) return;  // the state is as configured
    if (!note(removed, "removing " + named(route))) outcome_.now.routes.push_back(route);
  }
  /// Adds the new routes, and those that were deleted with the net of their gateways.
  void add_routes(const conf::Difference& difference) {
    std::vector<conf::RouteItem> all = difference.add_routes;
    std::set<NetId> shaken;  // nets that may have been gone for a moment
    for (const conf::NiRef& ref : difference.del) shaken.insert(ref.net);
    for (const conf::RouteItem& route : outcome_.now.routes)
      if (shaken.contains(route.gateway.net()) &&
          std::ranges::find(difference.add_routes, route) == difference.add_routes.end())
        all.push_back(route);
    if (all.empty()) return;
    const std::vector<Result<void>> added = node_.add_routes(all);
    std::set<std::pair<NetId, Nid>> failed;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool there = !added[i] && added[i].error().code == -EEXIST && has_route(all[i]);
      if (!there && !note(added[i], "adding " + named(all[i])))
        failed.emplace(all[i].net, all[i].gateway);
    }
    std::erase_if(outcome_.now.routes, [&](const conf::RouteItem& route) {
      return failed.contains(std::pair(route.net, route.gateway));
    });
  }
  /// Whether the node has the route as configured.
  bool has_route(const conf::RouteItem& wanted) {
    if (!known_routes_) known_routes_ = node_.routes();
    return std::ranges::any_of(known_routes_->routes, [&](const core::RouteRow& row) {
      const core::Route& is = row.route;
      return is == core::Route{wanted.net, wanted.gateway, wanted.hops, wanted.priority};
    });
  }
  void set_buffers(const conf::Buffers& wanted) {
    const auto number = [](std::uint32_t count) { return static_cast<std::int32_t>(count); };
    const auto set =
        node_.set_buffers({number(wanted.tiny), number(wanted.small), number(wanted.large)});
    if (!note_setting(set, "router buffers",
                      std::to_string(wanted.tiny) + ", " + std::to_string(wanted.small) + ", " +
                          std::to_string(wanted.large)))
      outcome_.now.buffers = from_.buffers;
  }
  void set_routing(bool on) {
    if (!note_setting(node_.set_routing(on), "routing", on ? "on" : "off"))
      outcome_.now.routing = from_.routing;
  }
  void remove(const conf::PeerItem& peer) {
    const auto removed = node_.peer_del(peer.primary, {}, true);
    if (!removed && removed.error().code == -ENOENT) return;  // the state is as configured
    if (note(removed, "removing peer " + peer.primary.to_string())) return;
    take_out(peer);
    outcome_.now.peers.push_back(peer);
  }
  void add(const conf::PeerItem& peer) {
    const auto added = node_.peer_add({.primary = peer.primary,
                                       .nids = peer.nids,
                                       .multi_rail = peer.multi_rail,
                                       .lock_primary = peer.lock_primary});
    if (!note(added, "adding peer " + peer.primary.to_string())) take_out(peer);
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
  bool set_tunable(const node::NiShow* there, const conf::NiRef& ref,
                   const conf::LndTunable& tunable, std::int32_t value) {
    const std::string name(tunable.name);
    const Result<void> done = there != nullptr ? node_.ni_set(there->nid, {}, {{name, value}})
                                               : Result<void>(fail(-ENODEV, "the NI is not up"));
    return note_setting(done, name + " of " + named(ref), std::to_string(value));
  }
  /// Sets the configured values that differ from those of the NI that is up.
  void set_missing(const node::NiShow& there, const conf::NiRef& ref) {
    for (const conf::LndTunable& tunable : conf::kLndTunables) {
      const std::int32_t value = configured_value(ref, tunable);
      const auto is = there.lnd_tunables.find(tunable.name);
      const bool other = is == there.lnd_tunables.end() || is->second != value;
      if (tunable.while_running && other && value != tunable.initial && tunable.range.has(value))
        set_tunable(&there, ref, tunable, value);
    }
  }
  void set(const conf::NiRef& ref) {
    const auto there = find(ref);
    bool all = true;
    for (const conf::LndTunable& tunable : conf::kLndTunables)
      if (tunable.while_running)
        all &= set_tunable(there ? &*there : nullptr, ref, tunable, configured_value(ref, tunable));
    if (all) return;
    take_ni_out(outcome_.now, ref);  // so that the next call tries it again
    for (const conf::NetItem& net : from_.nets)
      for (const conf::NiItem& ni : net.nis)
        if (net.net == ref.net && same_ni(ni, ref.ni)) put_in(outcome_.now, {net.net, ni});
  }
  void set_global(const std::string& name, std::int64_t value) {
    if (!note_setting(node_.set_global(name, value), "global " + name, std::to_string(value)))
      put_back(outcome_.now.globals, from_.globals, name);
  }

  /// The NI that is up and that `ref` names.
  std::optional<node::NiShow> find(const conf::NiRef& ref) {
    // An NI configured by its address has its device's name as its interface.
    const auto address = Nid::parse(ref.ni.interface + "@" + ref.net.to_string());
    for (node::NiShow& ni : node_.state().nis) {
      const bool same = ref.ni.nid ? ni.nid == *ref.ni.nid
                                   : ni.net == ref.net && (ni.interface == ref.ni.interface ||
                                                           (address && ni.nid == *address));
      if (same) return std::move(ni);
    }
    return {};
  }

  node::Node& node_;
  std::optional<core::call::ShowRoutes> known_routes_;
  const conf::Config& from_;
  Outcome outcome_;
};

}  // namespace

std::string summary(const Outcome& outcome) {
  const auto count = [](std::size_t number, const std::string& what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  return count(outcome.changes, "change") + ", " + count(outcome.failures.size(), "failure");
}

Outcome apply(node::Node& node, const conf::Config& from, const conf::Config& to) {
  return Applying(node, from, to).run();
}

}  // namespace ulnet::tools
