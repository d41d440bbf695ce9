// Judges the routes that hosts have.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {
namespace {

using HostKind = HostConfig::Kind;

/// How the routes of some hosts differ from the planned ones.
struct RouteMistakes {
  std::vector<HostRoute> missing, extra;
  /// planned route, and the hops that the host has
  std::vector<std::pair<HostRoute, int>> other_hops;
  std::vector<std::size_t> hosts;  ///< the hosts that have the same mistakes
  std::string words;

  bool none() const { return missing.empty() && extra.empty() && other_hops.empty(); }
};

bool same_way(const HostRoute& route, const SeenRoute& seen) {
  return route.net == seen.net && route.gateway == seen.gateway;
}
/// Returns the hops of a route; a route without a hop count counts as one hop.
int hops_of(const SeenRoute& seen) { return seen.hops < 0 ? 1 : seen.hops; }

RouteMistakes mistakes_in(const std::vector<HostRoute>& planned,
                          const std::vector<SeenRoute>& seen) {
  RouteMistakes mistakes;
  for (const HostRoute& route : planned) {
    const auto found =
        std::ranges::find_if(seen, [&](const SeenRoute& one) { return same_way(route, one); });
    if (found == seen.end())
      mistakes.missing.push_back(route);
    else if (hops_of(*found) != route.hops)
      mistakes.other_hops.emplace_back(route, hops_of(*found));
  }
  for (const SeenRoute& one : seen)
    if (std::ranges::none_of(planned, [&](const HostRoute& route) { return same_way(route, one); }))
      mistakes.extra.push_back({one.net, one.hops, one.gateway});
  return mistakes;
}

void add_word(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

/// "lacks the routes to tcp by router1, router2; has one to ... by ..., which is not planned". The
/// text is equal for all hosts of a group, whatever the addresses of the gateways on their nets.
std::string description_of(const RouteMistakes& mistakes, const Observations& of) {
  std::vector<std::string> parts;
  const auto name_of = [&](const Nid& nid) {
    const auto owner = of.owner_of(nid);
    return owner ? of.host(*owner).name : nid.to_string();
  };
  const auto by_net = [&](const std::vector<HostRoute>& routes, std::string_view words) {
    std::map<NetId, std::vector<std::string>> gateways;
    for (const HostRoute& route : routes) add_word(gateways[route.net], name_of(route.gateway));
    for (const auto& [net, names] : gateways)
      parts.push_back(
          fmt::format(fmt::runtime(words), net.to_string(), few_of(names), names.size()));
  };
  by_net(mistakes.missing, "no route to {} by {}");
  by_net(mistakes.extra, "an unplanned route to {} by {}");
  for (const auto& [route, hops] : mistakes.other_hops)
    add_word(parts, fmt::format("a hop count of {} and not {} to {} by {}", hops, route.hops,
                                route.net.to_string(), name_of(route.gateway)));
  return few_of(parts);
}

bool has_route(const Observations& of, std::size_t index, NetId net) {
  const auto& routes = of.seen(index).routes;
  return std::ranges::find(routes, net, &SeenRoute::net) != routes.end();
}

bool lacks_all(const Observations& of, std::size_t index, NetId net) {
  const auto& planned = of.config(index).routes;
  return std::ranges::find(planned, net, &HostRoute::net) != planned.end() &&
         !has_route(of, index, net);
}

/// Returns the net to which none of these hosts, and no other host of their group or system, has a
/// route, although hosts of that net have routes back.
std::optional<NetId> one_sided_net(const RouteMistakes& mistakes, const Observations& of) {
  const std::size_t one = mistakes.hosts.front();
  if (mistakes.missing.empty() || of.host(one).is(HostKind::kRouter)) return std::nullopt;
  const NetId net = mistakes.missing.front().net;
  const NetId own = of.config(one).nets.front().net;
  for (const std::size_t each : mistakes.hosts)
    if (!lacks_all(of, each, net)) return std::nullopt;
  bool other_side = false;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.seen(i).asked() || i == one || of.host(i).is(HostKind::kRouter)) continue;
    const NetId there = of.config(i).nets.front().net;
    const bool beside = there == own && of.config(i).kind == of.config(one).kind;
    if (beside && !lacks_all(of, i, net)) return std::nullopt;
    other_side = other_side || (there == net && has_route(of, i, own));
  }
  return other_side ? std::optional(net) : std::nullopt;
}

/// Returns the name of the host's file, or of the file that all of these hosts share.
std::string files_of(const std::vector<std::size_t>& hosts, const Observations& of) {
  if (hosts.size() == 1) return of.file_of(hosts.front());
  const HostConfig& first = of.config(hosts.front());
  const Site& site = of.checks().plan.site;
  switch (first.kind) {
    case HostKind::kClients:
      return fmt::format("lnetctl/clients-{}.yaml", first.host);
    case HostKind::kRouter:
      return fmt::format("modprobe/routers-{}.conf", site.clients[first.system].name);
    case HostKind::kServer:
      return fmt::format("modprobe/servers-{}.conf", site.file_systems[first.system].name);
  }
  return {};
}

VerifySuspect suspect_for(const RouteMistakes& mistakes, const Observations& of) {
  std::vector<std::string> names;
  for (const std::size_t each : mistakes.hosts) names.push_back(of.host(each).name);
  VerifySuspect suspect{.kind = VerifySuspect::Kind::kFile,
                        .cause = "other-routes",
                        .name = files_of(mistakes.hosts, of),
                        .hosts = names,
                        .what = fmt::format("{} {} {}", few_of(names),
                                            names.size() == 1 ? "has" : "have", mistakes.words),
                        .cure = "import the planned file, or take its routes over"};
  const bool missing = !mistakes.missing.empty(), extra = !mistakes.extra.empty();
  const bool hops = !mistakes.other_hops.empty();
  if (missing && !extra && !hops) suspect.cause = "missing-routes";
  if (!missing && extra && !hops) suspect.cause = "unplanned-routes";
  if (!missing && !extra && hops) suspect.cause = "wrong-hops";
  if (const auto net = one_sided_net(mistakes, of)) {
    suspect.cause = "one-sided-routes";
    suspect.what += fmt::format(": {} has routes to {}, and no route leads back", net->to_string(),
                                of.config(mistakes.hosts.front()).nets.front().net.to_string());
  }
  return suspect;
}

/// Returns the nets to which the routes through several gateways are all down, and whose servers
/// answered no question and no ping.
std::set<NetId> silent_nets(const Observations& of) {
  std::map<NetId, std::set<Nid>> gateways;
  std::set<NetId> heard;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (of.seen(i).asked() && of.host(i).is(HostKind::kServer))
      heard.insert(of.host(i).fabrics.begin(), of.host(i).fabrics.end());
    for (const SeenPing& ping : of.seen(i).pings)
      if (ping.answered && of.host(ping.target.host).is(HostKind::kServer))
        heard.insert(ping.target.nid.net());
    for (const SeenRoute& route : of.seen(i).routes)
      if (route.up.value_or(true))
        heard.insert(route.net);
      else
        gateways[route.net].insert(route.gateway);
  }
  std::set<NetId> silent;
  for (const auto& [net, by] : gateways)
    if (by.size() > 1 && !heard.contains(net)) silent.insert(net);
  return silent;
}

/// Whether a gateway has no host to route to. Either it reports that itself, and its interface has
/// been judged, or all servers there are suspects.
bool nothing_answers_behind(const Observations& of, const Suspects& suspects, std::size_t gateway,
                            NetId net) {
  const std::vector<Nid> down = of.down_nids(gateway);
  if (std::ranges::find(down, net, &Nid::net) != down.end()) return true;
  bool any = false;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    const bool there = of.host(i).is(HostKind::kServer) && of.host(i).is_on_fabric(net);
    if (there && !suspects.explain(i)) return false;
    any = any || there;
  }
  return any;
}

/// The hosts with routes by a gateway.
struct Gateway {
  std::size_t with_route = 0;
  std::vector<std::string> down;  ///< the names of those at which a route by it is down
  std::string why;
};

/// Returns the gateways that no suspect explains, with the hosts that no suspect explains.
std::map<std::size_t, Gateway> gateways_in(const Observations& of, const Suspects& suspects) {
  std::map<std::size_t, Gateway> gateways;
  const std::set<NetId> silent = silent_nets(of);
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.seen(i).asked() || suspects.explain_routed(i)) continue;
    std::set<std::size_t> with_route, down;
    for (const SeenRoute& route : of.seen(i).routes) {
      const auto owner = of.owner_of(route.gateway);
      if (!route.up || !owner || suspects.explain_routed(*owner)) continue;
      if (silent.contains(route.net)) continue;
      if (!*route.up && nothing_answers_behind(of, suspects, *owner, route.net)) continue;
      with_route.insert(*owner);
      if (*route.up) continue;
      down.insert(*owner);
      gateways[*owner].why = route.why;
    }
    for (const std::size_t gateway : with_route) ++gateways[gateway].with_route;
    for (const std::size_t gateway : down) gateways[gateway].down.push_back(of.host(i).name);
  }
  return gateways;
}

}  // namespace

std::set<std::size_t> judge_routes(const Observations& of, Suspects& suspects) {
  std::set<std::size_t> lack_routes;
  std::map<std::string, std::size_t> places;
  std::vector<RouteMistakes> all;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.seen(i).asked() || suspects.explain(i)) continue;
    const HostConfig& config = of.config(i);
    RouteMistakes mistakes = mistakes_in(config.routes, of.seen(i).routes);
    if (mistakes.none()) continue;
    mistakes.words = description_of(mistakes, of);
    // Hosts of a kind and system with the same mistakes have them from one file.
    const auto [place, fresh] = places.emplace(
        fmt::format("{} {} {}", static_cast<int>(config.kind), config.system, mistakes.words),
        all.size());
    if (!mistakes.missing.empty()) lack_routes.insert(i);
    if (fresh) all.push_back(std::move(mistakes));
    all[place->second].hosts.push_back(i);
    suspects.blame_routes(i);
  }
  for (const RouteMistakes& mistakes : all) suspects.accuse(suspect_for(mistakes, of));
  return lack_routes;
}

void judge_route_states(const Observations& of, Suspects& suspects) {
  for (const auto& [gateway, routes] : gateways_in(of, suspects)) {
    if (routes.down.empty()) continue;
    const std::string& name = of.host(gateway).name;
    suspects.accuse(
        {.kind = VerifySuspect::Kind::kHost,
         .cause = "routes-down",
         .name = name,
         .hosts = {name},
         .what = fmt::format("{} answers pings, and routes by it are down at {} of {} hosts "
                             "that have one: {}{}",
                             name, routes.down.size(), routes.with_route, few_of(routes.down),
                             routes.why.empty() ? "" : " (" + routes.why + ")"),
         .cure = "see whether it routes, and whether all of its nets are up"});
    suspects.blame_routes(gateway);
  }
}

}  // namespace ulnet::plan
