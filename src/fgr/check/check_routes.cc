#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "fgr/check/check_parts.h"

namespace ulnet::plan {
namespace {

/// For at most this many unplanned routes, the check looks for missing routes that they replace.
constexpr std::size_t kMaxTried = 4096;

/// The routes to a net through gateways on a net.
using Way = std::pair<NetId, NetId>;
/// LNet prefers the route with the lower rank: priority first, then hops.
using Rank = std::pair<std::uint32_t, std::int32_t>;

class RoutesCheck {
 public:
  RoutesCheck(const Planned& planned, const Actual& file, Difference& difference,
              const HasWayBack& has_way_back, std::vector<Finding>& out)
      : planned_(planned),
        file_(file),
        difference_(difference),
        has_way_back_(has_way_back),
        out_(out),
        servers_(planned.host(file.hosts.front()).config.kind == HostConfig::Kind::kServer) {}

  void run() {
    report_unplanned();
    report_missing();
    report_other();
  }

 private:
  Finding& add(Rule rule, conf::Place place, std::string what) {
    return add_finding(out_, file_, rule, place, std::move(what));
  }
  std::string who() const { return words_for(planned_, file_.hosts); }
  std::string have() const {
    return file_.hosts.size() == 1 && !planned_.host(file_.hosts.front()).clients() ? "has"
                                                                                    : "have";
  }
  /// Returns "to gni1 (clients xe) by o2ib6002 (home, group 002)"
  std::string words_of(const Way& way) const {
    std::string words = "to " + words_for(planned_, way.first);
    if (servers_) words += " by " + words_for(planned_, way.second);
    return words;
  }
  /// Finds the router that has the gateway's NID. If no router has it, finds the router that has
  /// its address on another net, which was probably meant.
  std::optional<std::size_t> router_of(const Nid& gateway) const {
    auto owner = planned_.owner(gateway);
    if (!owner && gateway.is_small() && !is_numbered(gateway.net()))
      owner = planned_.owner(gateway.address4());
    return owner && planned_.host(*owner).router() ? owner : std::nullopt;
  }
  std::string name_of(const Nid& gateway) const {
    const auto owner = router_of(gateway);
    return owner ? planned_.host(*owner).config.host : gateway.to_string();
  }

  /// Returns the rule that says why the plan does not have this route.
  Rule rule_of(const RouteDifference& route) const {
    const auto router = router_of(route.gateway);
    const Group* const group = planned_.group_of(servers_ ? route.gateway.net() : route.net);
    if (router && group != nullptr) {
      const bool known = planned_.owner(route.gateway).has_value();
      if (servers_ && known) return Rule::kUnplannedRoute;
      const Rule rule = rule_for_group(planned_, *router, *group);
      if (rule != Rule::kUnplannedNet) return rule;
      return known ? Rule::kUnplannedRoute : Rule::kUnknownNid;
    }
    return planned_.owner(route.gateway) ? Rule::kUnplannedRoute : Rule::kUnknownNid;
  }

  /// Removes a planned route from the missing ones if the unplanned one replaces it.
  bool take_missing(Rule rule, const RouteDifference& unplanned) {
    const std::int32_t hops = file_.routes[*unplanned.at].counted_hops();
    const auto take = [&](auto&& instead) {
      auto& missing = difference_.missing_routes;
      const auto at = std::ranges::find_if(
          missing, [&](const RouteDifference& each) { return each.hops == hops && instead(each); });
      if (at == missing.end()) return false;
      missing.erase(at);
      return true;
    };
    const auto same_router = [&](const RouteDifference& each) {
      return router_of(each.gateway) == router_of(unplanned.gateway);
    };
    if (rule == Rule::kUnknownNid && !router_of(unplanned.gateway))
      return take([&](const RouteDifference& each) {
               return each.net == unplanned.net && each.gateway.net() != unplanned.gateway.net() &&
                      each.gateway.addr == unplanned.gateway.addr;
             }) ||
             take([&](const RouteDifference& each) {
               return each.net == unplanned.net && each.gateway.net() == unplanned.gateway.net();
             });
    const bool unknown_net =
        planned_.group_of(unplanned.net) == nullptr && !planned_.client_system_of(unplanned.net);
    if (rule != Rule::kUnplannedRoute || unknown_net) return take(same_router);
    return false;
  }

  void report_unplanned() {
    using Key = std::tuple<Rule, Way, std::int32_t>;
    std::map<Key, std::vector<RouteDifference>> groups;
    std::size_t tried = 0;
    for (const RouteDifference& route : difference_.unplanned_routes) {
      const Rule rule = rule_of(route);
      if (tried++ < kMaxTried) take_missing(rule, route);
      groups[{rule, {route.net, route.gateway.net()}, file_.routes[*route.at].counted_hops()}]
          .push_back(route);
    }
    for (const auto& [key, routes] : groups) {
      const auto& [rule, way, hops] = key;
      std::vector<std::string> names;
      for (const RouteDifference& route : routes)
        names.push_back(rule == Rule::kUnknownNid ? route.gateway.to_string()
                                                  : name_of(route.gateway));
      add(rule, file_.routes[*routes.front().at].place,
          text_of_difference(rule, way, names, routes.front()));
    }
  }

  std::string text_of_difference(Rule rule, const Way& way, const std::vector<std::string>& names,
                                 const RouteDifference& first) const {
    if (rule == Rule::kUnknownNid)
      return fmt::format("{} {} a route {} through {}, which {} nobody's NID{}", who(), have(),
                         words_of(way), list_of(names), names.size() == 1 ? "is" : "are",
                         names.size() == 1 ? "" : "s");
    std::string what = fmt::format("{} {} an unplanned route {} through {}", who(), have(),
                                   words_of(way), list_of(names));
    if (rule == Rule::kUnplannedRoute) {
      const auto owner = planned_.owner(first.gateway);
      if (owner && !planned_.host(*owner).router())
        what += ", which is " + words_for(planned_, *owner);
      return what;
    }
    const Group* const group = planned_.group_of(servers_ ? way.second : way.first);
    return what + fmt::format(": the group is at switch {}, the router at switch {}",
                              group->at_switch,
                              planned_.router(planned_.host(*router_of(first.gateway))).at_switch);
  }

  void report_missing() {
    if (difference_.missing_routes.empty()) return;
    std::map<Way, std::size_t> wanted;
    for (const HostRoute& route : planned_.routes_of(file_.hosts))
      ++wanted[{route.net, route.gateway.net()}];
    std::map<std::pair<Way, bool>, std::vector<RouteDifference>> groups;
    for (const RouteDifference& route : difference_.missing_routes)
      groups[{{route.net, route.gateway.net()}, way_back(route)}].push_back(route);
    for (const auto& [key, routes] : groups) {
      const auto& [way, one_sided] = key;
      std::vector<std::string> names;
      for (const RouteDifference& route : routes) names.push_back(name_of(route.gateway));
      std::string what =
          fmt::format("{} {} no route {}{}", who(), have(), words_of(way),
                      wanted[way] == routes.size() ? "" : " through " + list_of(names));
      if (one_sided)
        what += servers_ ? ", and the clients have one to them" : ", and the servers have one back";
      add(one_sided ? Rule::kOneSidedRoute : Rule::kMissingRoute, place_of(way), std::move(what));
    }
  }

  bool way_back(const RouteDifference& missing) const {
    const PlannedHost& host = planned_.host(file_.hosts.front());
    const auto router = router_of(missing.gateway);
    if (host.router() || !router) return false;
    return has_way_back_(servers_, *router, servers_ ? missing.gateway.net() : missing.net);
  }

  /// Returns the place of other routes of this path in the file, if it has any.
  conf::Place place_of(const Way& way) const {
    const auto at = std::ranges::find_if(file_.routes, [&](const ActualRoute& route) {
      return route.net == way.first && route.gateway.net() == way.second;
    });
    return at == file_.routes.end() ? conf::Place{} : at->place;
  }

  struct Ranks {
    Rank first_primary{std::numeric_limits<std::uint32_t>::max(), 0};
    Rank last_primary{0, 0};
    Rank first_secondary{std::numeric_limits<std::uint32_t>::max(), 0};
  };
  static Rank rank_of(const ActualRoute& route) { return {route.priority, route.counted_hops()}; }

  /// Returns the ranks of the planned routes that the file has.
  std::map<Way, Ranks> ranks() const {
    const auto wanted = planned_.routes_of(file_.hosts);
    std::map<Way, Ranks> found;
    for (const ActualRoute& route : file_.routes) {
      const auto ends = [](const HostRoute& each) { return std::pair(each.net, each.gateway); };
      const auto at =
          std::ranges::lower_bound(wanted, std::pair(route.net, route.gateway), {}, ends);
      if (at == wanted.end() || ends(*at) != std::pair(route.net, route.gateway)) continue;
      Ranks& ranks = found[{route.net, route.gateway.net()}];
      if (at->hops == 1) {
        ranks.first_primary = std::min(ranks.first_primary, rank_of(route));
        ranks.last_primary = std::max(ranks.last_primary, rank_of(route));
      } else {
        ranks.first_secondary = std::min(ranks.first_secondary, rank_of(route));
      }
    }
    return found;
  }

  void report_other() {
    if (difference_.other_routes.empty()) return;
    const auto found = ranks();
    using Key = std::tuple<Rule, Way, int, Rank>;
    std::map<Key, std::vector<RouteDifference>> groups;
    for (const RouteDifference& route : difference_.other_routes) {
      const Way way(route.net, route.gateway.net());
      const Ranks& those = found.at(way);
      const Rank rank = rank_of(file_.routes[*route.at]);
      const bool wrong = route.hops == 1
                             ? rank > those.first_primary || rank >= those.first_secondary
                             : rank <= those.last_primary;
      groups[{wrong ? Rule::kSecondaryFirst : Rule::kOtherHops, way, route.hops, rank}].push_back(
          route);
    }
    for (const auto& [key, routes] : groups) {
      const auto& [rule, way, hops, rank] = key;
      std::vector<std::string> names;
      for (const RouteDifference& route : routes) names.push_back(name_of(route.gateway));
      add(rule, file_.routes[*routes.front().at].place,
          fmt::format("{} {} the {} route {} through {} with hop count {}{}, not {}", who(), have(),
                      hops == 1 ? "primary" : "secondary", words_of(way), list_of(names),
                      rank.second,
                      rank.first == 0 ? "" : fmt::format(" and priority {}", rank.first), hops));
    }
  }

  const Planned& planned_;
  const Actual& file_;
  Difference& difference_;
  const HasWayBack& has_way_back_;
  std::vector<Finding>& out_;
  const bool servers_;
};

}  // namespace

void check_routes(const Planned& planned, const Actual& file, Difference& difference,
                  const HasWayBack& has_way_back, std::vector<Finding>& out) {
  RoutesCheck(planned, file, difference, has_way_back, out).run();
}

}  // namespace ulnet::plan
