#include "fgr/plan/host_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "fgr/plan/options.h"
#include "fgr/plan/planned.h"
#include "lnet/wire/text.h"

namespace ulnet::plan {
namespace {

std::vector<std::string> patterns_of(const ClientSystem& clients) {
  std::vector<std::string> patterns;
  for (const auto word : std::views::split(clients.addresses, ' '))
    if (!word.empty()) patterns.emplace_back(word.begin(), word.end());
  return patterns;
}

/// Returns the address in the router's NID. If the NID is a number, which ip2nets does not know,
/// returns the patterns of the clients.
std::vector<std::string> on_client_net(const ClientSystem& clients, const Router& router) {
  if (is_numbered(clients.net)) return patterns_of(clients);
  return {words_of({router.client_nid.address4()})};
}

class Hosts {
 public:
  explicit Hosts(const Plan& plan) : plan_(plan) {}

  std::vector<HostConfig> all() {
    for (std::size_t client = 0; client < plan_.site.clients.size(); ++client) {
      add_clients(client);
      for (std::size_t i = 0; i < plan_.site.clients[client].routers.size(); ++i)
        add_router(client, i);
    }
    for (std::size_t system = 0; system < plan_.site.file_systems.size(); ++system)
      add_servers(system);
    return std::move(hosts_);
  }

 private:
  void add_clients(std::size_t client) {
    const ClientSystem& clients = plan_.site.clients[client];
    HostConfig config{.kind = HostConfig::Kind::kClients, .host = clients.name, .system = client};
    config.nets.push_back({clients.net, patterns_of(clients)});
    add_routes_to_servers(config, client);
    hosts_.push_back(std::move(config));
  }

  void add_router(std::size_t client, std::size_t number) {
    const ClientSystem& clients = plan_.site.clients[client];
    const Router& router = clients.routers[number];
    HostConfig config{
        .kind = HostConfig::Kind::kRouter, .host = router.host, .system = client, .number = number};
    config.nets.push_back({clients.net, on_client_net(clients, router)});
    std::vector<std::string> addresses;
    for (const Address address : router.addresses) addresses.push_back(words_of({address}));
    for (const Group& group : plan_.groups)
      if (std::ranges::any_of(kHops,
                              [&](int hops) { return group.routers[client].has(hops, number); }))
        config.nets.push_back({group.net, addresses});
    config.spare = std::ranges::none_of(
        plan_.groups, [&](const Group& group) { return group.routers[client].has(1, number); });
    add_routes_to_servers(config, client);
    hosts_.push_back(std::move(config));
  }

  /// Adds routes to each group's net that the host is not on, with all primary ones first.
  void add_routes_to_servers(HostConfig& config, std::size_t client) const {
    const ClientSystem& clients = plan_.site.clients[client];
    for (const int hops : kHops)
      for (const Group& group : plan_.groups) {
        if (std::ranges::find(config.nets, group.net, &HostNet::net) != config.nets.end()) continue;
        for (const std::size_t router : group.routers[client].of(hops))
          config.routes.push_back({group.net, hops, clients.routers[router].client_nid});
      }
  }

  void add_servers(std::size_t system) {
    const auto& servers = plan_.site.file_systems[system].servers;
    std::vector<HostConfig> configs(servers.size());
    for (std::size_t i = 0; i < servers.size(); ++i)
      configs[i] = {.kind = HostConfig::Kind::kServer,
                    .host = servers[i].host,
                    .system = system,
                    .number = i};
    for (const Group& group : plan_.groups) {
      if (group.file_system != system) continue;
      for (const std::size_t each : group.servers) {
        configs[each].nets.push_back({group.net, {words_of({servers[each].address})}});
        add_routes_back(configs[each], group);
      }
    }
    // The net among servers comes after the group's net: peers know a server by its first NID, so
    // all peers must be able to reach that NID.
    if (const auto& net = plan_.site.file_systems[system].among_servers)
      for (std::size_t i = 0; i < servers.size(); ++i)
        configs[i].nets.push_back({*net, {words_of({servers[i].address})}});
    for (HostConfig& config : configs) hosts_.push_back(std::move(config));
  }

  void add_routes_back(HostConfig& config, const Group& group) const {
    for (const int hops : kHops)
      for (std::size_t client = 0; client < plan_.site.clients.size(); ++client) {
        const ClientSystem& clients = plan_.site.clients[client];
        for (const std::size_t router : group.routers[client].of(hops))
          for (const Address address : clients.routers[router].addresses)
            config.routes.push_back({clients.net, hops, Nid::small(group.net, address)});
      }
  }

  const Plan& plan_;
  std::vector<HostConfig> hosts_;
};

}  // namespace

std::string_view to_string(HostConfig::Kind kind) {
  constexpr std::string_view kWords[] = {"client", "router", "server"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::vector<HostConfig> host_configs(const Plan& plan) { return Hosts(plan).all(); }

namespace {

/// Whether ip2nets would not find the address: ip2nets lists only 127.0.0.1 of the loopback device.
/// `net:` can use such an address as an interface's name (docs/DESIGN.md 5).
bool on_loopback(const HostNet& net) {
  return std::ranges::all_of(net.addresses, [](const std::string& address) {
    const auto ip4 = wire::text::ip4(address);
    return ip4 && *ip4 >> 24 == 127;
  });
}

/// Quotes a pattern that YAML would read as something else: "*.1.0.0" as an alias, "[1-2].0.0.0" as
/// a list.
std::string yaml_word(const std::string& pattern) {
  const bool plain = pattern.front() >= '0' && pattern.front() <= '9';
  return plain ? pattern : '"' + pattern + '"';
}

void add_loopback_net(const HostNet& net, std::string& text) {
  text += fmt::format("  - net type: {}\n    local NI(s):\n", net.net.to_string());
  for (const std::string& address : net.addresses)
    text += fmt::format("      - interfaces:\n            0: {}\n", address);
}

}  // namespace

std::string lnetctl_yaml(const HostConfig& config) {
  const bool loopback = std::ranges::all_of(config.nets, on_loopback);
  std::string text = config.spare ? "# A spare router: no group needs it as a primary one.\n" : "";
  text += loopback ? "net:\n" : "ip2nets:\n";
  for (const HostNet& net : config.nets) {
    if (loopback) {
      add_loopback_net(net, text);
      continue;
    }
    text += fmt::format("  - net-spec: {}\n    ip-range:\n", net.net.to_string());
    for (std::size_t i = 0; i < net.addresses.size(); ++i)
      text += fmt::format("        {}: {}\n", i, yaml_word(net.addresses[i]));
  }
  if (!config.routes.empty()) text += "route:\n";
  for (const HostRoute& route : config.routes)
    text += fmt::format("  - net: {}\n    gateway: {}\n    hop: {}\n", route.net.to_string(),
                        route.gateway.to_string(), route.hops);
  if (config.kind == HostConfig::Kind::kRouter) text += "routing:\n    enable: 1\n";
  return text;
}

std::string routes_text(const HostConfig& config) {
  std::string text;
  for (const HostRoute& route : config.routes)
    text += fmt::format("{}: {{ gateway: {}, hop: {} }}\n", route.net.to_string(),
                        route.gateway.to_string(), route.hops);
  return text;
}

}  // namespace ulnet::plan
