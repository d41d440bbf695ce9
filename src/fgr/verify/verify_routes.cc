#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {
namespace {

bool same_way(const HostRoute& route, const SeenRoute& seen) {
  return route.net == seen.net && route.gateway == seen.gateway;
}
/// Returns the hops of a route; a route without a hop count counts as one hop.
int hops_of(const SeenRoute& seen) { return seen.hops < 0 ? 1 : seen.hops; }

void add_word(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

}  // namespace

void Diagnosis::judge_routes() {
  std::map<std::string, std::size_t> places;
  std::vector<RouteMistakes> all;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i].asked() || direct_[i]) continue;
    RouteMistakes mistakes = mistakes_of(i);
    if (mistakes.missing.empty() && mistakes.extra.empty() && mistakes.other_hops.empty()) continue;
    describe(mistakes);
    // Hosts of a kind and system with the same mistakes have them from one file.
    const auto [place, fresh] = places.emplace(
        fmt::format("{} {} {}", static_cast<int>(config(i).kind), config(i).system, mistakes.words),
        all.size());
    lacks_routes_[i] = !mistakes.missing.empty();
    if (fresh) all.push_back(std::move(mistakes));
    all[place->second].hosts.push_back(i);
    blame_routes(i);
  }
  for (const RouteMistakes& mistakes : all) accuse_routes(mistakes);
}

Diagnosis::RouteMistakes Diagnosis::mistakes_of(std::size_t index) const {
  RouteMistakes mistakes;
  const auto& planned = config(index).routes;
  const auto& seen = seen_[index].routes;
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

/// "lacks the routes to tcp by router1, router2; has one to ... by ..., which is not planned". The
/// text is equal for all hosts of a group, whatever the addresses of the gateways on their nets.
void Diagnosis::describe(RouteMistakes& mistakes) const {
  std::vector<std::string> parts;
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
  mistakes.words = few_of(parts);
}

bool Diagnosis::lacks_all(std::size_t index, NetId net) const {
  const auto& planned = config(index).routes;
  const auto& seen = seen_[index].routes;
  return std::ranges::find(planned, net, &HostRoute::net) != planned.end() &&
         std::ranges::find(seen, net, &SeenRoute::net) == seen.end();
}

/// Returns the net to which none of these hosts, and no other host of their group or system, has a
/// route, although hosts of that net have routes back.
std::optional<NetId> Diagnosis::one_sided(const RouteMistakes& mistakes) const {
  if (mistakes.missing.empty()) return std::nullopt;
  const std::size_t one = mistakes.hosts.front();
  const NetId net = mistakes.missing.front().net;
  const NetId own = config(one).nets.front().net;
  for (const std::size_t each : mistakes.hosts)
    if (!lacks_all(each, net)) return std::nullopt;
  bool other_side = false;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i].asked() || i == one || host(i).is(Kind::kRouter)) continue;
    const bool beside = config(i).nets.front().net == own && config(i).kind == config(one).kind;
    if (beside && !lacks_all(i, net)) return std::nullopt;
    other_side = other_side || (config(i).nets.front().net == net &&
                                std::ranges::find(seen_[i].routes, own, &SeenRoute::net) !=
                                    seen_[i].routes.end());
  }
  return other_side && !host(one).is(Kind::kRouter) ? std::optional(net) : std::nullopt;
}

/// Returns the name of the host's file, or of the file that all of these hosts share.
std::string Diagnosis::files_of(const std::vector<std::size_t>& hosts) const {
  if (hosts.size() == 1) return file_of(hosts.front());
  const HostConfig& first = config(hosts.front());
  switch (first.kind) {
    case Kind::kClients:
      return fmt::format("lnetctl/clients-{}.yaml", first.host);
    case Kind::kRouter:
      return fmt::format("modprobe/routers-{}.conf", checks_.plan.site.clients[first.system].name);
    case Kind::kServer:
      return fmt::format("modprobe/servers-{}.conf",
                         checks_.plan.site.file_systems[first.system].name);
  }
  return {};
}

void Diagnosis::accuse_routes(const RouteMistakes& mistakes) {
  std::vector<std::string> names, seen;
  for (const std::size_t each : mistakes.hosts) names.push_back(host(each).name);
  VerifySuspect suspect{.kind = VerifySuspect::Kind::kFile,
                        .cause = "other-routes",
                        .name = files_of(mistakes.hosts),
                        .hosts = names,
                        .what = fmt::format("{} {} {}", few_of(names),
                                            names.size() == 1 ? "has" : "have", mistakes.words),
                        .cure = "import the planned file, or take its routes over",
                        .seen = {}};
  const bool missing = !mistakes.missing.empty(), extra = !mistakes.extra.empty();
  const bool hops = !mistakes.other_hops.empty();
  if (missing && !extra && !hops) suspect.cause = "missing-routes";
  if (!missing && extra && !hops) suspect.cause = "unplanned-routes";
  if (!missing && !extra && hops) suspect.cause = "wrong-hops";
  if (const auto net = one_sided(mistakes)) {
    suspect.cause = "one-sided-routes";
    suspect.what += fmt::format(": {} has routes to {}, and no route leads back", net->to_string(),
                                config(mistakes.hosts.front()).nets.front().net.to_string());
  }
  accuse(std::move(suspect));
}

/// Returns the nets to which the routes through several gateways are all down, and whose servers
/// answered no question and no ping.
std::set<NetId> Diagnosis::silent_nets() const {
  std::map<NetId, std::set<Nid>> gateways;
  std::set<NetId> heard;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i].asked() && host(i).is(Kind::kServer))
      heard.insert(host(i).fabrics.begin(), host(i).fabrics.end());
    for (const SeenPing& ping : seen_[i].pings)
      if (ping.answered && host(ping.target.host).is(Kind::kServer))
        heard.insert(ping.target.nid.net());
    for (const SeenRoute& route : seen_[i].routes)
      if (route.up.value_or(true))
        heard.insert(route.net);
      else
        gateways[route.net].insert(route.gateway);
  }
  std::set<NetId> silent;
  for (const auto& [net, of] : gateways)
    if (of.size() > 1 && !heard.contains(net)) silent.insert(net);
  return silent;
}

/// Whether a gateway has no host to route to. Either it reports that itself, and its interface has
/// been judged, or all servers there are suspects.
bool Diagnosis::nothing_answers_behind(std::size_t gateway, NetId net) const {
  const std::vector<Nid> down = down_nids(gateway);
  if (std::ranges::find(down, net, &Nid::net) != down.end()) return true;
  bool any = false;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const bool there = host(i).is(Kind::kServer) &&
                       std::ranges::find(host(i).fabrics, net) != host(i).fabrics.end();
    if (there && !direct_[i]) return false;
    any = any || there;
  }
  return any;
}

/// Reports planned routes that are present but down, although neither host nor gateway is a
/// suspect.
void Diagnosis::judge_route_states() {
  struct Gateway {
    std::size_t with_route = 0;
    std::vector<std::size_t> down;
    std::string why;
  };
  std::map<std::size_t, Gateway> gateways;
  const std::set<NetId> silent = silent_nets();
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i].asked() || routed_[i]) continue;
    std::set<std::size_t> with_route, down;
    for (const SeenRoute& route : seen_[i].routes) {
      const auto owner = owners_.find(route.gateway);
      if (!route.up || owner == owners_.end() || routed_[owner->second]) continue;
      if (silent.contains(route.net)) continue;
      if (!*route.up && nothing_answers_behind(owner->second, route.net)) continue;
      with_route.insert(owner->second);
      if (*route.up) continue;
      down.insert(owner->second);
      gateways[owner->second].why = route.why;
    }
    for (const std::size_t gateway : with_route) ++gateways[gateway].with_route;
    for (const std::size_t gateway : down) gateways[gateway].down.push_back(i);
  }
  for (const auto& [gateway, state] : gateways) {
    if (state.down.empty()) continue;
    std::vector<std::string> names;
    for (const std::size_t each : state.down) names.push_back(host(each).name);
    accuse({.kind = VerifySuspect::Kind::kHost,
            .cause = "routes-down",
            .name = host(gateway).name,
            .hosts = {host(gateway).name},
            .what = fmt::format("{} answers pings, and routes by it are down at {} of {} hosts "
                                "that have one: {}{}",
                                host(gateway).name, state.down.size(), state.with_route,
                                few_of(names), state.why.empty() ? "" : " (" + state.why + ")"),
            .cure = "see whether it routes, and whether all of its nets are up",
            .seen = {}});
    blame_routes(gateway);
  }
}

}  // namespace ulnet::plan
