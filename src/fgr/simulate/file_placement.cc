#include "fgr/simulate/file_placement.h"

#include <algorithm>

namespace ulnet::tools::fgr {
namespace {

/// OSSs of a file system that a client system has routes to, in the order of the servers.
std::vector<std::size_t> reached_osss(const plan::Plan& plan, std::size_t client,
                                      std::size_t file_system) {
  std::vector<std::size_t> osss;
  for (const plan::Group& group : plan.groups) {
    if (group.file_system != file_system) continue;
    const plan::GroupRouters& routers = group.routers[client];
    if (routers.primary.empty() && routers.secondary.empty()) continue;
    for (const std::size_t server : group.servers)
      if (!plan.site.file_systems[file_system].servers[server].metadata()) osss.push_back(server);
  }
  std::ranges::sort(osss);
  return osss;
}

}  // namespace

std::vector<PlacedFile> place_files(const plan::Plan& plan, const ClientFiles& files) {
  struct Reached {
    std::size_t file_system;
    std::vector<std::size_t> osss;
  };
  std::vector<std::size_t> turns(plan.site.file_systems.size());
  std::vector<PlacedFile> placed;
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    std::vector<Reached> reached;
    for (std::size_t i = 0; i < turns.size(); ++i)
      if (auto osss = reached_osss(plan, client, i); !osss.empty())
        reached.push_back({i, std::move(osss)});
    for (std::uint32_t i = 0; i < files.clients; ++i) {
      PlacedFile& file = placed.emplace_back();
      file.client = client;
      if (reached.empty()) continue;
      const auto& [file_system, osss] = reached[i % reached.size()];
      file.file_system = file_system;
      const std::size_t osts =
          osss.size() * std::max(1U, plan.site.file_systems[file_system].osts_per_oss);
      const std::size_t stripes = std::min<std::size_t>(files.stripes, osts);
      for (std::size_t k = 0; k < stripes; ++k)
        file.osss.push_back(osss[turns[file_system]++ % osss.size()]);
    }
  }
  return placed;
}

}  // namespace ulnet::tools::fgr
