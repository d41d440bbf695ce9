#include "fgr/hints/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "fgr/plan/planned.h"

namespace ulnet::plan {
namespace {

std::vector<std::size_t> osss_of(const FileSystem& system) {
  std::vector<std::size_t> osss;
  for (std::size_t i = 0; i < system.servers.size(); ++i)
    if (!system.servers[i].metadata()) osss.push_back(i);
  return osss;
}

std::string no_such_oss(const FileSystem& system, const std::vector<std::size_t>& osss,
                        const std::string& name) {
  std::vector<std::string_view> names;
  for (const std::size_t oss : osss) names.push_back(system.servers[oss].host);
  return fmt::format("{} has no OSS {}{}", system.name, name, suggestion(name, names));
}

/// Numbers of OSTs by server, in the order of the servers.
using Wanted = std::map<std::size_t, std::set<std::uint32_t>>;

tl::expected<Wanted, std::string> wanted_of(const FileSystem& system, const HintQuery& query) {
  const auto osss = osss_of(system);
  const std::uint32_t per_oss = system.osts_per_oss;
  Wanted wanted;
  const auto want_all_osts = [&](std::size_t place) {
    auto& osts = wanted[osss[place]];
    for (std::uint32_t k = 0; k < per_oss; ++k)
      osts.insert(static_cast<std::uint32_t>(place) * per_oss + k);
  };
  if (!query.osts.empty() && per_oss == 0)
    return tl::unexpected(fmt::format(
        "the site file does not say which OSTs {} has: give it 'OSTs per OSS'", system.name));
  for (const std::uint32_t ost : query.osts) {
    if (ost / per_oss >= osss.size())
      return tl::unexpected(fmt::format("{} has no OST {}: {} OSSs have {} each, from 0 to {}",
                                        system.name, ost, osss.size(), per_oss,
                                        osss.size() * per_oss - 1));
    wanted[osss[ost / per_oss]].insert(ost);
  }
  for (const std::string& name : query.osss) {
    const auto found = std::ranges::find(
        osss, name, [&](std::size_t oss) -> const auto& { return system.servers[oss].host; });
    if (found == osss.end()) return tl::unexpected(no_such_oss(system, osss, name));
    want_all_osts(static_cast<std::size_t>(found - osss.begin()));
  }
  if (query.osts.empty() && query.osss.empty())
    for (std::size_t place = 0; place < osss.size(); ++place) want_all_osts(place);
  return wanted;
}

/// Returns the routers' shares by node of the map, or the routers that the map does not contain.
/// Several routers may be at one node; their shares are added.
tl::expected<std::map<std::size_t, double>, std::vector<std::string>> places_of(
    const ClientSystem& clients, const std::vector<RouterLoad>& loads, const NodeMap& map) {
  std::map<std::size_t, double> places;
  std::vector<std::string> missing;
  for (const RouterLoad& load : loads) {
    const Router& router = clients.routers[load.router];
    if (const auto place = place_in(map, router))
      places[*place] += load.share;
    else
      missing.push_back(router.host +
                        (router.physical.empty() ? "" : " (" + router.physical + ")"));
  }
  if (!missing.empty()) return tl::unexpected(std::move(missing));
  return places;
}

}  // namespace

std::optional<std::size_t> place_in(const NodeMap& map, const Router& router) {
  if (const auto found = map.find(router.host)) return found;
  return router.physical.empty() ? std::nullopt : map.find(router.physical);
}

tl::expected<std::vector<GroupHint>, std::string> hints_of(const Plan& plan,
                                                           const HintQuery& query) {
  const FileSystem& system = plan.site.file_systems[query.file_system];
  const auto wanted = wanted_of(system, query);
  if (!wanted) return tl::unexpected(wanted.error());
  std::vector<GroupHint> hints;
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    if (plan.groups[i].file_system != query.file_system) continue;
    GroupHint hint{.group = i, .osss = {}};
    std::vector<std::size_t> servers = plan.groups[i].servers;
    std::ranges::sort(servers);
    for (const std::size_t server : servers) {
      const auto found = wanted->find(server);
      if (found == wanted->end()) continue;
      hint.osss.push_back({server, {found->second.begin(), found->second.end()}});
      hint.load += found->second.empty() ? 1.0 : static_cast<double>(found->second.size());
    }
    if (!hint.osss.empty()) hints.push_back(std::move(hint));
  }
  return hints;
}

std::vector<RouterLoad> loads_of(const Plan& plan, std::size_t client,
                                 const std::vector<GroupHint>& hints) {
  std::map<std::size_t, double> loads;
  double all = 0;
  for (const GroupHint& hint : hints) {
    const auto& routers = plan.groups[hint.group].routers[client].primary;
    if (routers.empty()) continue;
    all += hint.load;
    for (const std::size_t router : routers)
      loads[router] += hint.load / static_cast<double>(routers.size());
  }
  std::vector<RouterLoad> list;
  for (const auto& [router, load] : loads) list.push_back({router, load / all});
  return list;
}

tl::expected<Ranking, std::vector<std::string>> rank_nodes(
    const ClientSystem& clients, const std::vector<RouterLoad>& loads, const NodeMap& map,
    const std::vector<std::size_t>& candidates, std::size_t count) {
  const auto places = places_of(clients, loads, map);
  if (!places) return tl::unexpected(places.error());
  std::vector<RankedNode> nodes(map.names().size());
  for (RankedNode& node : nodes) node.nearest = NodeMap::kUnreachable;
  for (const auto& [place, share] : *places) {
    const auto distances = map.distances_from(place);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].mean += share * distances[i];
      nodes[i].nearest = std::min(nodes[i].nearest, distances[i]);
      nodes[i].farthest = std::max(nodes[i].farthest, distances[i]);
    }
  }
  Ranking ranking;
  std::vector<std::size_t> order;  // of those candidates that reach all routers
  for (const std::size_t candidate : candidates) {
    nodes[candidate].node = candidate;
    if (nodes[candidate].farthest == NodeMap::kUnreachable)
      ++ranking.cut_off;
    else
      order.push_back(candidate);
  }
  // Sums of shares in a different order differ in their last digits.
  constexpr double kFine = 1e6;
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted;
  for (std::size_t i = 0; i < order.size(); ++i)
    sorted.emplace_back(static_cast<std::uint64_t>(nodes[order[i]].mean * kFine + 0.5), i);
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(count, sorted.size()));
  std::partial_sort(sorted.begin(), end, sorted.end());
  for (const auto& [mean, i] : std::span(sorted.begin(), end))
    ranking.nodes.push_back(nodes[order[i]]);
  return ranking;
}

std::vector<std::vector<std::size_t>> nodes_by_group(const Plan& plan, std::size_t client,
                                                     const std::vector<GroupHint>& hints,
                                                     const NodeMap& map,
                                                     const std::vector<std::size_t>& candidates) {
  constexpr std::uint64_t kNone = UINT64_MAX;
  constexpr std::uint64_t kFine = 1'000'000;  // parts of a hop: means are compared as whole numbers
  std::vector<std::uint64_t> least(map.names().size(), kNone);
  std::vector<std::size_t> nearest(map.names().size());
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const auto& routers = plan.groups[hints[i].group].routers[client].primary;
    if (routers.empty()) continue;
    std::vector<std::uint64_t> sums(map.names().size());
    for (const std::size_t router : routers) {
      const auto hops =
          map.distances_from(*place_in(map, plan.site.clients[client].routers[router]));
      for (std::size_t node = 0; node < sums.size(); ++node)
        if (hops[node] == NodeMap::kUnreachable)
          sums[node] = kNone;
        else if (sums[node] != kNone)
          sums[node] += hops[node];
    }
    for (std::size_t node = 0; node < sums.size(); ++node) {
      if (sums[node] == kNone) continue;
      const std::uint64_t mean = sums[node] * kFine / routers.size();
      if (mean >= least[node]) continue;
      least[node] = mean;
      nearest[node] = i;
    }
  }
  std::vector<std::vector<std::size_t>> nodes(hints.size());
  for (const std::size_t candidate : candidates)
    if (least[candidate] != kNone) nodes[nearest[candidate]].push_back(candidate);
  return nodes;
}

}  // namespace ulnet::plan
