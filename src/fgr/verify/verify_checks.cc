#include <algorithm>
#include <utility>

#include "fgr/verify/verify.h"

namespace ulnet::plan {
namespace {

using HostKind = HostConfig::Kind;

bool uses(const GroupRouters& routers, std::size_t number) {
  return std::ranges::any_of(kHops, [&](int hops) { return routers.has(hops, number); });
}

class CheckList {
 public:
  explicit CheckList(const Plan& plan) {
    checks_.plan = plan;
    checks_.configs = host_configs(plan);
  }

  VerifyChecks all(const std::vector<NamedClient>& clients) {
    for (std::size_t i = 0; i < checks_.configs.size(); ++i) {
      const HostConfig& config = checks_.configs[i];
      if (config.kind == HostKind::kRouter) add_router(i);
      if (config.kind == HostKind::kServer) add_server(i);
    }
    for (const NamedClient& client : clients) add_client(client);
    checks_.pings.resize(checks_.hosts.size());
    for (std::size_t host = 0; host < checks_.hosts.size(); ++host)
      for (std::size_t other = 0; other < checks_.hosts.size(); ++other) add_pings(host, other);
    return std::move(checks_);
  }

 private:
  void add_router(std::size_t config) {
    const HostConfig& of = checks_.configs[config];
    const Router& router = checks_.plan.site.clients[of.system].routers[of.number];
    VerifyHost host{.name = of.host,
                    .kind = of.kind,
                    .config = config,
                    .nids = {router.client_nid},
                    .at_switch = router.at_switch};
    for (const Group& group : checks_.plan.groups) {
      if (!uses(group.routers[of.system], of.number)) continue;
      host.fabrics.push_back(group.net);
      for (const Address address : router.addresses)
        host.nids.push_back(Nid::small(group.net, address));
    }
    checks_.hosts.push_back(std::move(host));
  }

  void add_server(std::size_t config) {
    const HostConfig& of = checks_.configs[config];
    const Server& server = checks_.plan.site.file_systems[of.system].servers[of.number];
    VerifyHost host{
        .name = of.host, .kind = of.kind, .config = config, .at_switch = server.at_switch};
    for (const HostNet& net : of.nets) {
      host.fabrics.push_back(net.net);
      host.nids.push_back(Nid::small(net.net, server.address));
    }
    checks_.hosts.push_back(std::move(host));
  }

  void add_client(const NamedClient& client) {
    for (std::size_t i = 0; i < checks_.configs.size(); ++i)
      if (checks_.configs[i].kind == HostKind::kClients &&
          checks_.configs[i].system == client.system)
        checks_.hosts.push_back({.name = client.name, .kind = HostKind::kClients, .config = i});
  }

  void add_pings(std::size_t from, std::size_t to) {
    const VerifyHost& here = checks_.hosts[from];
    const VerifyHost& there = checks_.hosts[to];
    if (here.is(HostKind::kServer) && there.is(HostKind::kServer)) return ping_servers(from, to);
    if (here.kind == there.kind) return;
    if (here.is(HostKind::kClients)) {
      if (there.is(HostKind::kRouter) && configs(from).system == configs(to).system)
        ping(from, to, there.nids.front());
      if (there.is(HostKind::kServer))
        for (const Nid& nid : there.nids)
          if (std::ranges::find(configs(from).routes, nid.net(), &HostRoute::net) !=
              configs(from).routes.end())
            ping(from, to, nid);
      return;
    }
    for (const Nid& nid : there.nids)
      if (here.is_on_fabric(nid.net())) ping(from, to, nid);
  }

  /// Adds pings to the MGS and the MDSs of its file system, on the net among the servers.
  void ping_servers(std::size_t from, std::size_t to) {
    const HostConfig& of = configs(to);
    const FileSystem& system = checks_.plan.site.file_systems[of.system];
    const Server& server = system.servers[of.number];
    if (from == to || configs(from).system != of.system || !system.among_servers ||
        !server.metadata())
      return;
    ping(from, to, Nid::small(*system.among_servers, server.address));
  }

  const HostConfig& configs(std::size_t host) const {
    return checks_.configs[checks_.hosts[host].config];
  }
  void ping(std::size_t from, std::size_t to, const Nid& nid) {
    checks_.pings[from].push_back({to, nid});
  }

  VerifyChecks checks_;
};

}  // namespace

bool VerifyHost::has(const Nid& nid) const { return std::ranges::find(nids, nid) != nids.end(); }

bool VerifyHost::is_on_fabric(NetId net) const {
  return std::ranges::find(fabrics, net) != fabrics.end();
}

std::optional<std::size_t> VerifyChecks::find(std::string_view name) const {
  const auto found = std::ranges::find(hosts, name, &VerifyHost::name);
  if (found == hosts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - hosts.begin());
}

std::optional<std::size_t> VerifyChecks::owner_of(std::span<const Nid> of) const {
  std::optional<std::size_t> best;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    // A router is identified by its NID on its clients' net, because its other address may be the
    // exchanged one.
    if (hosts[i].is(HostKind::kRouter) && std::ranges::find(of, hosts[i].nids.front()) != of.end())
      return i;
    const auto count = std::ranges::count_if(of, [&](const Nid& nid) { return hosts[i].has(nid); });
    if (count > most) {
      most = count;
      best = i;
    }
  }
  return best;
}

VerifyChecks checks_of(const Plan& plan, const std::vector<NamedClient>& clients) {
  return CheckList(plan).all(clients);
}

}  // namespace ulnet::plan
