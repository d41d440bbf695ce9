#include "fgr/check/compare.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "fgr/check/covering.h"

namespace ulnet::plan {
namespace {

class Nets {
 public:
  Nets(const Planned& planned, const Actual& actual, Difference& out)
      : planned_(planned), actual_(actual), out_(out) {}

  void compare() {
    for (const std::size_t host : actual_.hosts) compare(host);
  }

 private:
  void compare(std::size_t number) {
    const PlannedHost& host = planned_.host(number);
    best_.assign(host.nets.size(), Covering::kNone);
    std::set<NetId> decided;
    for (std::size_t at = 0; at < actual_.nets.size(); ++at) {
      const NetId net = actual_.nets[at].net;
      if (actual_.first_rule_counts && decided.contains(net)) continue;
      if (look_at(number, at)) decided.insert(net);
    }
    for (std::size_t i = 0; i < host.nets.size(); ++i) {
      // If only a pattern is known of a router, its address may be in the part that is covered.
      if (best_[i] == Covering::kAll || (best_[i] == Covering::kSome && !host.clients())) continue;
      out_.missing_nets.push_back({number,
                                   host.nets[i].first,
                                   host.interfaces[host.nets[i].second].text,
                                   {},
                                   best_[i] == Covering::kSome});
    }
  }

  /// Applies one net of the file to the host. Returns false if the net does not concern the host.
  bool look_at(std::size_t number, std::size_t at) {
    const PlannedHost& host = planned_.host(number);
    const ActualNet& net = actual_.nets[at];
    if (!net.nids.empty()) return look_at_nids(number, at);
    if (net.patterns.empty()) {
      if (!cover_all(host, net.net))
        out_.unplanned_nets.push_back({number, net.net, "", at, false});
      return true;
    }
    bool any = false, taken = false;
    for (std::size_t i = 0; i < host.interfaces.size(); ++i) {
      const Covering covering = covering_at(at, host.interfaces[i]);
      if (covering == Covering::kNone) continue;
      any = true;
      const bool some = covering == Covering::kSome;
      if (taken && host.interfaces[i].address && planned_on(host, net.net, i)) continue;
      if (cover(host, net.net, i, covering))
        taken = net.one_interface;
      else if (!some || host.clients())
        out_.unplanned_nets.push_back({number, net.net, host.interfaces[i].text, at, some});
    }
    return any;
  }

  bool look_at_nids(std::size_t number, std::size_t at) {
    const PlannedHost& host = planned_.host(number);
    const ActualNet& net = actual_.nets[at];
    for (const Nid& nid : net.nids) {
      const bool own_of_router = host.router() && nid == planned_.router(host).client_nid;
      const auto own = std::ranges::find_if(host.interfaces, [&](const PlannedInterface& each) {
        return each.address ? nid.is_small() && *each.address == nid.address4()
                            : host.clients() && each.pattern.matches(nid);
      });
      // Any NID is right for clients on a net of numbers, since only patterns of addresses are
      // known.
      const bool any_nid_fits = host.clients() && host.has(net.net) && is_numbered(net.net);
      if (own_of_router || any_nid_fits) {
        cover_all(host, net.net);
      } else if (own == host.interfaces.end()) {
        out_.foreign_nids.push_back({number, nid, at});
      } else if (host.clients()) {
        if (!cover_all(host, net.net))
          out_.unplanned_nets.push_back({number, net.net, own->text, at, false});
      } else if (!cover(host, net.net, static_cast<std::size_t>(own - host.interfaces.begin()),
                        Covering::kAll)) {
        out_.unplanned_nets.push_back({number, net.net, own->text, at, false});
      }
    }
    return true;
  }

  static bool planned_on(const PlannedHost& host, NetId net, std::size_t interface) {
    return std::ranges::find(host.nets, std::pair(net, interface)) != host.nets.end();
  }
  /// Notes that the file covers the host's net on this interface. Returns false if the plan does
  /// not put the host on this net with this interface.
  bool cover(const PlannedHost& host, NetId net, std::size_t interface, Covering covering) {
    const auto at = std::ranges::find(host.nets, std::pair(net, interface));
    if (at == host.nets.end()) return false;
    Covering& best = best_[static_cast<std::size_t>(at - host.nets.begin())];
    best = std::max(best, covering);
    return true;
  }
  bool cover_all(const PlannedHost& host, NetId net) {
    for (std::size_t i = 0; i < host.interfaces.size(); ++i) cover(host, net, i, Covering::kAll);
    return host.has(net);
  }

  Covering covering_at(std::size_t at, const PlannedInterface& interface) {
    const auto& patterns = actual_.nets[at].patterns;
    if (interface.address) {
      const Nid nid = Nid::small({NetType::kTcp, 0}, *interface.address);
      const bool matches =
          std::ranges::any_of(patterns, [&](const auto& each) { return each.matches(nid); });
      return matches ? Covering::kAll : Covering::kNone;
    }
    // Routers of a kind share the patterns of their clients' net.
    auto& known = known_[interface.text];
    if (known.empty()) known.resize(actual_.nets.size());
    if (!known[at]) known[at] = covering_of(patterns, interface.pattern);
    return *known[at];
  }

  const Planned& planned_;
  const Actual& actual_;
  Difference& out_;
  std::vector<Covering> best_;  ///< by index in PlannedHost::nets
  std::map<std::string, std::vector<std::optional<Covering>>> known_;
};

class Routes {
 public:
  Routes(const Planned& planned, const Actual& actual, Difference& out)
      : planned_(planned), actual_(actual), out_(out) {}

  void compare() {
    const auto wanted = planned_.routes_of(actual_.hosts);
    const auto ends = [&](std::size_t i) {
      return std::tie(actual_.routes[i].net, actual_.routes[i].gateway);
    };
    std::vector<std::size_t> order(actual_.routes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // If the same route is there twice, the first one counts.
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return std::tuple(ends(a), a) < std::tuple(ends(b), b);
    });
    const auto rest = std::ranges::unique(
        order, [&](std::size_t a, std::size_t b) { return ends(a) == ends(b); });
    order.erase(rest.begin(), rest.end());
    auto want = wanted.begin();
    for (const std::size_t at : order) {
      while (want != wanted.end() && std::tie(want->net, want->gateway) < ends(at))
        missing(*want++);
      if (want != wanted.end() && std::tie(want->net, want->gateway) == ends(at))
        both(*want++, at);
      else if (!passed_over(actual_.routes[at]))
        out_.unplanned_routes.push_back(
            {actual_.routes[at].net, actual_.routes[at].gateway, 0, at});
    }
    while (want != wanted.end()) missing(*want++);
  }

 private:
  void missing(const HostRoute& route) {
    out_.missing_routes.push_back({route.net, route.gateway, route.hops, {}});
  }
  void both(const HostRoute& wanted, std::size_t at) {
    const ActualRoute& route = actual_.routes[at];
    if (route.counted_hops() != wanted.hops || route.priority != 0)
      out_.other_routes.push_back({wanted.net, wanted.gateway, wanted.hops, at});
  }
  /// Whether a route of a text for several hosts is ignored by all these hosts.
  bool passed_over(const ActualRoute& route) const {
    if (!actual_.shared) return false;
    const bool alone = actual_.hosts.size() == 1;
    return std::ranges::all_of(actual_.hosts, [&](std::size_t number) {
      const PlannedHost& host = planned_.host(number);
      if (host.has(route.net)) return true;
      return alone && !host.has(route.gateway.net()) && planned_.owner(route.gateway);
    });
  }

  const Planned& planned_;
  const Actual& actual_;
  Difference& out_;
};

}  // namespace

Difference compare(const Planned& planned, const Actual& actual) {
  Difference difference;
  if (actual.as_planned || actual.hosts.empty()) return difference;
  if (actual.has_nets) Nets(planned, actual, difference).compare();
  if (actual.has_routes) Routes(planned, actual, difference).compare();
  return difference;
}

}  // namespace ulnet::plan
