#include "fgr/picture/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

using plan::FileSystem;
using plan::Server;

/// Whether the servers of a file system are in SSUs. An SSU of a Sonexion is two OSSs, the even one
/// on the left and the next odd one on the right (design document 004, section III). So a file
/// system has SSUs if every OSS has its partner in its rack. The file system must also name its
/// servers after its cluster, since only those of a Sonexion are counted that way.
bool has_ssus(const FileSystem& system) {
  if (system.layout != FileSystem::Layout::kSides || system.cluster.empty()) return false;
  std::set<std::pair<std::string, std::uint32_t>> osss;
  for (const Server& server : system.servers)
    if (!server.metadata()) osss.emplace(server.rack, server.number);
  return std::ranges::all_of(osss, [&](const auto& oss) {
    return osss.contains({oss.first, oss.second ^ 1U});
  });
}

std::string about(const Server& server, bool ssus) {
  if (server.role == Server::Role::kMgs) return "MGS";
  if (server.role == Server::Role::kMds) return "MDS";
  return ssus ? fmt::format("OSS {}, SSU {}", server.number, server.number / 2)
              : fmt::format("OSS {}", server.number);
}

class Plugging {
 public:
  explicit Plugging(const plan::Plan& plan) : plan_(plan) {
    for (plan::Cable& cable : plan::cables_of(plan, plan::CableOrder::kRouters))
      cables_[cable.host].push_back(std::move(cable));
  }

  std::vector<SwitchPorts> go() && {
    for (const FileSystem& system : plan_.site.file_systems)
      for (const Server& server : system.servers) (void)at(server.at_switch);
    std::vector<bool> ssus;
    for (const FileSystem& system : plan_.site.file_systems) ssus.push_back(has_ssus(system));
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
      const plan::Group& group = plan_.groups[i];
      for (const std::size_t each : group.servers) {
        const Server& server = plan_.site.file_systems[group.file_system].servers[each];
        at(server.at_switch)
            .servers.push_back({.host = server.host,
                                .place = about(server, ssus[group.file_system]),
                                .nid = {},
                                .cables = cables_[server.host],
                                .file_systems = {group.file_system},
                                .server = &server,
                                .groups = {i},
                                .others = {}});
      }
    }
    for (std::size_t client = 0; client < plan_.site.clients.size(); ++client) routers_of(client);
    return std::move(out_);
  }

 private:
  SwitchPorts& at(const std::string& name) {
    const auto [place, fresh] = places_.emplace(name, out_.size());
    if (fresh) out_.push_back({.name = name, .routers = {}, .servers = {}});
    return out_[place->second];
  }

  void routers_of(std::size_t client) {
    const auto& routers = plan_.site.clients[client].routers;
    std::vector<Port> ports;
    for (const plan::Router& router : routers) {
      ports.push_back({.host = router.host,
                       .place = router.physical,
                       .nid = router.client_nid.to_string(),
                       .cables = cables_[router.host],
                       .client = client,
                       .file_systems = router.file_systems,
                       .groups = {},
                       .others = {}});
    }
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
      const plan::GroupRouters& of = plan_.groups[i].routers[client];
      for (const std::size_t router : of.primary) ports[router].groups.push_back(i);
      for (const std::size_t router : of.secondary) ports[router].others.push_back(i);
    }
    for (std::size_t i = 0; i < ports.size(); ++i)
      at(routers[i].at_switch).routers.push_back(std::move(ports[i]));
  }

  const plan::Plan& plan_;
  std::vector<SwitchPorts> out_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::vector<plan::Cable>> cables_;  ///< by host
};

}  // namespace

std::size_t SwitchPorts::cables() const {
  std::size_t count = servers.size();
  for (const Port& router : routers) count += router.cables.size();
  return count;
}

std::vector<SwitchPorts> switches_of(const plan::Plan& plan) { return Plugging(plan).go(); }

std::string file_systems_of(const plan::Plan& plan, const Port& port) {
  std::vector<std::string> names;
  for (const std::size_t each : port.file_systems)
    names.push_back(plan.site.file_systems[each].name);
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string roles_text(const std::vector<const Server*>& servers) {
  std::size_t osss = 0, mgss = 0, mdss = 0;
  for (const Server* server : servers)
    ++(server->role == Server::Role::kOss   ? osss
       : server->role == Server::Role::kMgs ? mgss
                                            : mdss);
  std::vector<std::string> words;
  if (osss != 0) words.push_back(text::counted(osss, "OSS"));
  if (mgss != 0) words.push_back(mgss == 1 ? "MGS" : text::counted(mgss, "MGS"));
  if (mdss != 0) words.push_back(mdss == 1 ? "MDS" : text::counted(mdss, "MDS"));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string name_of(const SwitchPorts& at) {
  return at.name.empty() ? "no switch named" : "switch " + at.name;
}

}  // namespace ulnet::tools::fgr
