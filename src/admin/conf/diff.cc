#include "admin/conf/diff.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "admin/conf/route_entry.h"
#include "lnet/catalog/known_drivers.h"
#include "lnet/config/params.h"
#include "lnet/config/routes.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::conf {

namespace {

/// Gathers a configuration from a document's items, one overload per kind.
class Gather {
 public:
  explicit Gather(std::span<const LocalInterface> interfaces) : interfaces_(interfaces) {}

  Config config;
  Problems problems;
  Places places;
  core::udsp::RuleList udsp;

  void take(const Item& item) {
    place_ = item.place;
    std::visit(*this, item.what);
  }

  void operator()(const Problem& problem) { problems.push_back(problem); }
  void operator()(const NetEntry& entry) { add_net(entry.item); }
  void operator()(const Ip2NetsEntry& entry) {
    auto nets = apply_ip2nets(entry.rules, interfaces_);
    if (!nets) return wrong(place_, nets.error());
    for (const NetItem& net : *nets) add_net(net);
  }
  void operator()(const GlobalEntry& entry) {
    for (const auto& [name, value, place] : entry.values) {
      const GlobalSetting* setting = find_global(name);
      if (setting == nullptr || !setting->has(value))
        wrong(place,
              {-EINVAL, "invalid value '" + std::to_string(value) + "' for key '" + name + "'"});
      else
        set(config.globals, name, value, name_of_global(name), place);
    }
  }
  void operator()(const ParamEntry& entry) {
    for (const auto& [name, text, place] : entry.values) {
      auto value = check_param(name, text);
      if (value)
        set(config.params, name, std::move(*value), name_of_param(name), place);
      else
        wrong(place, value.error());
    }
  }
  void operator()(const DaemonEntry& entry) {
    config.daemon = merged(entry.settings, config.daemon);
  }
  void operator()(const PeerEntry& entry) {
    if (!entry.configured) return;
    const auto primary = wire::expand_nids(entry.primary, 1);
    if (!primary) return wrong(place_, primary.error());
    PeerItem peer{primary->front(), {}, entry.multi_rail, entry.lock_primary};
    add_peer(std::move(peer), entry.nids);
  }
  void operator()(const PeersEntry& entry) {
    const auto first = wire::expand_nids(entry.nids.front(), 1);
    if (!first) return wrong(place_, first.error());
    add_peer(PeerItem{first->front(), {}}, entry.nids);
  }
  void operator()(const RouteEntry& entry) {
    if (too_many_routes_) return;  // reported once, because many such items would take long
    const auto routes = routes_of(entry);
    const bool too_many =
        routes ? config.routes.size() + routes->size() > kRoutesMax : routes.error().code == -E2BIG;
    too_many_routes_ = too_many;
    if (too_many) return wrong(place_, {-E2BIG, kTooManyRoutes});
    if (!routes) return wrong(place_, routes.error());
    for (const RouteItem& route : *routes) {
      if (!route_names_.emplace(route.net, route.gateway).second)
        return wrong(place_, {-EEXIST, "route already exists: " + route.net.to_string() +
                                           " through " + route.gateway.to_string()});
      config.routes.push_back(route);
      places.emplace(name_of(route), place_);
    }
  }
  void operator()(const RoutingEntry& entry) {
    for (const auto& [name, value, place] : entry.values) {
      places.insert_or_assign(name == "enable" ? kRouting : kBuffers, place);
      if (name == "enable") {
        // Exports show the state of a router that starts or stops as 2 and 3. These values request
        // nothing.
        if (value == 0 || value == 1) config.routing = value == 1;
      } else if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
        wrong(place,
              {-EINVAL, "invalid value '" + std::to_string(value) + "' for key '" + name + "'"});
      } else {
        Buffers& buffers = config.buffers ? *config.buffers : config.buffers.emplace();
        std::uint32_t& to = name == "tiny"    ? buffers.tiny
                            : name == "small" ? buffers.small
                                              : buffers.large;
        to = static_cast<std::uint32_t>(value);
      }
    }
  }
  // A rule that the list already has changes nothing (spec/multirail.md 10.2).
  void operator()(const UdspEntry& entry) {
    places.emplace(kPolicies, place_);
    if (const auto added = udsp.add(entry.rule); !added && added.error().code != -EALREADY)
      wrong(place_, added.error());
  }
  void operator()(const SelectionEntry& entry) {
    places.emplace(kPolicies, place_);
    const auto added = add_selection(udsp, entry.selection);
    if (!added && added.error().code != -EALREADY) wrong(place_, added.error());
  }
  void operator()(const StatisticsEntry&) {}
  void operator()(const ExecEntry&) {}

 private:
  void wrong(Place place, const Error& error) {
    problems.push_back({place, error.reason, error.code});
  }

  /// Takes over a setting; the last one of a name counts.
  template <class Map, class Value>
  void set(Map& values, const std::string& name, Value value, const std::string& part,
           Place place) {
    values.insert_or_assign(name, std::move(value));
    places.insert_or_assign(part, place);
  }

  void add_peer(PeerItem peer, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const auto nids = wire::expand_nids(word, kPeerNidsMax);
      if (!nids) return wrong(place_, nids.error());
      for (const Nid& nid : *nids)
        if (nid != peer.primary && std::ranges::find(peer.nids, nid) == peer.nids.end())
          peer.nids.push_back(nid);
    }
    if (peer.nids.size() > kPeerNidsMax)
      return wrong(place_, {-E2BIG, "specifies more NIDs than allowed"});
    if (std::ranges::find(config.peers, peer.primary, &PeerItem::primary) != config.peers.end())
      return wrong(place_, {-EEXIST, "peer " + peer.primary.to_string() + " is there twice"});
    places.emplace(name_of(peer), place_);
    config.peers.push_back(std::move(peer));
  }

  void add_net(const NetItem& item) {
    if (item.net == NetId::loopback()) return;  // lo always exists, and exports show it
    const std::string name = item.net.to_string();
    if (item.nis.empty()) {
      return wrong(place_, {-EINVAL, "net '" + name +
                                         "': creating a local NI needs at least one interface"});
    }
    auto at = std::ranges::find(config.nets, item.net, &NetItem::net);
    if (at == config.nets.end()) at = config.nets.insert(at, NetItem{item.net, {}});
    for (const NiItem& ni : item.nis) {
      NiItem settled = settle(ni, interfaces_);
      const auto same = [&](const NiItem& n) {
        return n.interface == settled.interface && n.nid == settled.nid;
      };
      if (std::ranges::any_of(at->nis, same)) {
        wrong(place_, {-EEXIST, "net '" + name + "' names the same NI twice"});
        continue;
      }
      places.emplace(name_of(NiRef{item.net, settled}), place_);
      at->nis.push_back(std::move(settled));
    }
  }

  std::span<const LocalInterface> interfaces_;
  Place place_;                                  // the place of the current item
  std::set<std::pair<NetId, Nid>> route_names_;  // the names of config.routes
  bool too_many_routes_ = false;
};

const NiRef* find_same(const std::vector<NiRef>& all, const NiRef& wanted) {
  const auto at = std::ranges::find_if(all, [&](const NiRef& r) {
    return r.net == wanted.net && r.ni.interface == wanted.ni.interface &&
           r.ni.nid == wanted.ni.nid;
  });
  return at == all.end() ? nullptr : &*at;
}

/// Whether two NIs of such nets are equal except for tunables that can be changed while an NI runs.
bool differ_only_in_settings(NetType nets, NiItem a, NiItem b) {
  for (const LndTunable& tunable : lnd::ni_tunables(nets)) {
    if (!tunable.while_running) continue;
    a.lnd_tunables.erase(std::string(tunable.name));
    b.lnd_tunables.erase(std::string(tunable.name));
  }
  return a == b;
}

/// Returns the values of `to` that differ from the values of `from`. A name that only `from` has
/// gets its initial value, `initial(name)`.
template <class Map, class Initial>
Map changed(const Map& from, const Map& to, Initial&& initial) {
  Map out;
  for (const auto& [name, value] : from) {
    if (!to.contains(name) && value != initial(name)) out.insert_or_assign(name, initial(name));
  }
  for (const auto& [name, value] : to) {
    const auto at = from.find(name);
    if (at == from.end() || at->second != value) out.insert_or_assign(name, value);
  }
  return out;
}

/// Returns the value of `to` if it differs; a missing value counts as T{}.
template <class T>
std::optional<T> changed(const std::optional<T>& from, const std::optional<T>& to) {
  const T wanted = to.value_or(T{});
  return wanted == from.value_or(T{}) ? std::optional<T>() : wanted;
}

/// Returns the routes that `others` does not have with the same hops and priority, in order.
std::vector<RouteItem> routes_without(const std::vector<RouteItem>& routes,
                                      const std::vector<RouteItem>& others) {
  std::map<std::pair<NetId, Nid>, const RouteItem*> known;
  for (const RouteItem& other : others) known.emplace(std::pair(other.net, other.gateway), &other);
  std::vector<RouteItem> out;
  for (const RouteItem& route : routes) {
    const auto at = known.find(std::pair(route.net, route.gateway));
    if (at == known.end() || *at->second != route) out.push_back(route);
  }
  return out;
}

/// Whether `to` is the peer `from` with the same NIDs or more.
bool only_adds(const PeerItem& from, const PeerItem& to) {
  const auto kept = [&](const Nid& nid) {
    return std::ranges::find(to.nids, nid) != to.nids.end();
  };
  return from.multi_rail == to.multi_rail && from.lock_primary == to.lock_primary &&
         std::ranges::all_of(from.nids, kept);
}

void add_peer_changes(const std::vector<PeerItem>& from, const std::vector<PeerItem>& to,
                      Difference& out) {
  const auto find = [](const std::vector<PeerItem>& all, const Nid& primary) {
    return std::ranges::find(all, primary, &PeerItem::primary);
  };
  for (const PeerItem& old : from) {
    const auto wanted = find(to, old.primary);
    if (wanted == to.end() || !only_adds(old, *wanted)) out.del_peers.push_back(old);
  }
  for (const PeerItem& wanted : to) {
    const auto old = find(from, wanted.primary);
    if (old == from.end() || *old != wanted) out.add_peers.push_back(wanted);
  }
}

}  // namespace

std::string name_of(const NiRef& ref) {
  return ref.ni.nid ? ref.ni.nid->to_string() : ref.net.to_string() + "(" + ref.ni.interface + ")";
}
std::string name_of(const core::Route& route) {
  return "route to " + route.net.to_string() + " through " + route.gateway.to_string();
}
std::string name_of(const PeerItem& peer) { return "peer " + peer.primary.to_string(); }

tl::expected<Config, Problems> to_config(const Document& document,
                                         std::span<const LocalInterface> interfaces,
                                         Places* places) {
  Gather gather(interfaces);
  for (const Item& item : document.items) gather.take(item);
  if (!gather.problems.empty()) {
    // Some are found only when their whole section has been read.
    std::ranges::sort(gather.problems, {},
                      [](const Problem& one) { return std::tie(one.place, one.reason); });
    return tl::unexpected(std::move(gather.problems));
  }
  for (const auto& [id, rule] : gather.udsp.entries()) gather.config.udsp.push_back(rule);
  if (places != nullptr) *places = std::move(gather.places);
  return std::move(gather.config);
}

Difference difference(const Config& from, const Config& to) {
  Difference out;
  out.params = changed(from.params, to.params, [](const std::string& name) {
    const Param* param = find_param(name);
    return std::string(param == nullptr ? std::string_view() : param->initial);
  });
  out.globals = changed(from.globals, to.globals, [](const std::string& name) {
    const GlobalSetting* setting = find_global(name);
    return setting == nullptr ? std::int64_t{0} : setting->initial;
  });
  if (from.udsp != to.udsp) out.udsp = to.udsp;
  add_peer_changes(from.peers, to.peers, out);
  out.del_routes = routes_without(from.routes, to.routes);
  out.add_routes = routes_without(to.routes, from.routes);
  out.routing = changed(from.routing, to.routing);
  out.buffers = changed(from.buffers, to.buffers);
  const std::vector<NiRef> before = nis_of(from.nets);
  const std::vector<NiRef> after = nis_of(to.nets);
  for (const NiRef& old : before) {
    if (find_same(after, old) == nullptr) out.del.push_back(old);
  }
  for (const NiRef& wanted : after) {
    const NiRef* old = find_same(before, wanted);
    if (old == nullptr) {
      out.add.push_back(wanted);
    } else if (old->ni == wanted.ni) {
      continue;
    } else if (differ_only_in_settings(wanted.net.type, old->ni, wanted.ni)) {
      out.set.push_back(wanted);
    } else {
      out.del.push_back(*old);
      out.add.push_back(wanted);
    }
  }
  return out;
}

}  // namespace ulnet::conf
