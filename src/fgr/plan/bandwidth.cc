#include "fgr/plan/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "fgr/plan/planned.h"
#include "lnet/base/text_table.h"

namespace ulnet::plan {
namespace {

/// Returns the weight of each file system that a router leads to.
std::vector<double> weights_of(const Site& site, const ClientSystem& clients,
                               const Router& router) {
  if (!router.weights.empty()) return router.weights;
  std::vector<double> weights;
  for (const std::size_t each : router.file_systems) {
    const FileSystem& system = site.file_systems[each];
    const auto osss = std::ranges::count_if(system.servers, [&](const Server& server) {
      return !server.metadata() && (system.flat() || server.at_switch == router.at_switch);
    });
    weights.push_back(static_cast<double>(osss) * system.oss_gb_per_s * system.share_of(clients));
  }
  return weights;
}

/// A client system and a file system that routers connect.
struct Matching {
  std::size_t client = 0, file_system = 0;
  std::size_t routers = 0, osss = 0;  ///< primary routers of the groups of OSSs, and those OSSs
  /// Gigabytes a second: `carried` of these routers, `peak` of these OSSs, and `full` of these
  /// routers if they led to no other file system.
  double carried = 0, peak = 0, full = 0;
  std::vector<std::size_t> spare;  ///< routers for OSSs that no group needs
};

/// Returns the matchings, ordered by client system, and then by file system.
std::vector<Matching> matchings_of(const Plan& plan) {
  std::vector<Matching> all;
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    const auto& routers = plan.site.clients[client].routers;
    for (std::size_t system = 0; system < plan.site.file_systems.size(); ++system) {
      Matching made{.client = client, .file_system = system};
      if (std::ranges::none_of(routers, [&](const Router& each) { return each.leads_to(system); }))
        continue;
      for (const Group& group : plan.groups) {
        if (group.file_system != system || plan.osss_of(group) == 0) continue;
        made.routers += group.routers[client].primary.size();
        made.osss += plan.osss_of(group);
        made.carried += plan.carried_by(group, client);
        made.peak += plan.peak_of(group, client);
      }
      made.full = static_cast<double>(made.routers) * plan.site.clients[client].router_gb_per_s;
      for (std::size_t i = 0; i < routers.size(); ++i)
        if (plan.is_spare(client, i, system)) made.spare.push_back(i);
      all.push_back(std::move(made));
    }
  }
  return all;
}

}  // namespace

double Plan::rate_of(std::size_t client, std::size_t router, std::size_t file_system) const {
  const ClientSystem& clients = site.clients[client];
  const Router& of = clients.routers[router];
  if (of.file_systems.size() == 1) return clients.router_gb_per_s;
  const std::vector<double> weights = weights_of(site, clients, of);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (all == 0) return clients.router_gb_per_s / static_cast<double>(weights.size());
  const auto at = std::ranges::find(of.file_systems, file_system) - of.file_systems.begin();
  return clients.router_gb_per_s * weights[static_cast<std::size_t>(at)] / all;
}

double Plan::carried_by(const Group& group, std::size_t client) const {
  double carried = 0;
  for (const std::size_t router : group.routers[client].primary)
    carried += rate_of(client, router, group.file_system);
  return carried;
}

double Plan::peak_of(const Group& group, std::size_t client) const {
  const FileSystem& system = site.file_systems[group.file_system];
  return static_cast<double>(osss_of(group)) * system.oss_gb_per_s *
         system.share_of(site.clients[client]);
}

std::size_t Plan::osss_of(const Group& group) const {
  const auto& servers = site.file_systems[group.file_system].servers;
  return static_cast<std::size_t>(std::ranges::count_if(
      group.servers, [&](std::size_t each) { return !servers[each].metadata(); }));
}

bool Plan::is_spare(std::size_t client, std::size_t router, std::size_t file_system) const {
  const Router& of = site.clients[client].routers[router];
  if (!of.carries_data() || !of.leads_to(file_system)) return false;
  bool near = false;
  for (const Group& group : groups) {
    if (group.file_system != file_system || group.suffix == 0) continue;
    if (group.routers[client].has(1, router)) return false;
    near = near || group.at_switch == of.at_switch;
  }
  return near;
}

std::string rates_text(const Plan& plan, std::size_t client, std::size_t file_system,
                       const std::string& at, std::size_t routers, double carried, std::size_t osss,
                       double peak) {
  const ClientSystem& clients = plan.site.clients[client];
  const bool all = plan.site.file_systems[file_system].share_of(clients) == 1;
  return fmt::format(
      "{} router{} of {}{} carr{} {:.1f} GB/s, and {} OSS{} move{} {:.1f} GB/s at "
      "peak{}",
      routers, routers == 1 ? "" : "s", clients.name, at.empty() ? "" : " at switch " + at,
      routers == 1 ? "ies" : "y", carried, osss, osss == 1 ? "" : "s", osss == 1 ? "s" : "", peak,
      all ? "" : " for these clients");
}

std::string matching_text(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {{"clients", "file system", "routers", "GB/s",
                                                 "of their rate", "OSSs", "peak", "ratio",
                                                 "spare"}};
  std::string spares;
  for (const Matching& each : matchings_of(plan)) {
    const ClientSystem& clients = plan.site.clients[each.client];
    const std::string& system = plan.site.file_systems[each.file_system].name;
    rows.push_back({clients.name, system, std::to_string(each.routers),
                    fmt::format("{:.1f}", each.carried),
                    each.full > 0 ? fmt::format("{:.0f} %", 100 * each.carried / each.full) : "-",
                    std::to_string(each.osss), fmt::format("{:.1f}", each.peak),
                    each.peak > 0 ? fmt::format("{:.2f}", each.carried / each.peak) : "-",
                    std::to_string(each.spare.size())});
    std::map<std::string, std::vector<std::string>> at_switch;
    for (const std::size_t router : each.spare)
      at_switch[clients.routers[router].at_switch].push_back(clients.routers[router].host);
    for (const auto& [name, hosts] : at_switch)
      spares += fmt::format("{} to {}, spare at switch {}: {}\n", clients.name, system, name,
                            list_of(hosts));
  }
  return text::text_table(rows) + spares;
}

}  // namespace ulnet::plan
