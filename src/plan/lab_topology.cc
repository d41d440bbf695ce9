#include "plan/lab_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace ulnet::plan {
namespace {

std::string net_of(const Group& group) { return fmt::format("tcp{}", group.net.num); }
std::string net_of_clients(std::size_t client) {
  return client == 0 ? std::string("tcp") : fmt::format("tcp{}", client);
}

/// Of the file system's servers; empty without one. Where clients have its number here, it gets a
/// large one that is free.
std::string net_among_servers(const Plan& plan, const FileSystem& of) {
  if (!of.among_servers) return {};
  std::set<std::uint32_t> taken;
  for (std::uint32_t i = 0; i < plan.site.clients.size(); ++i) taken.insert(i);
  for (const Group& group : plan.groups) taken.insert(group.net.num);
  std::uint32_t number = 0;
  for (const FileSystem& system : plan.site.file_systems) {
    if (!system.among_servers) continue;
    number = system.among_servers->num;
    if (taken.contains(number)) number = 0xffff;
    while (taken.contains(number)) --number;
    if (&system == &of) break;
    taken.insert(number);
  }
  return fmt::format("tcp{}", number);
}

/// The switches of a file system, and of the routers that lead to it, in their first order.
std::vector<std::string> switches_of(const Plan& plan, std::size_t system) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Server& server : plan.site.file_systems[system].servers) add(server.at_switch);
  for (const ClientSystem& clients : plan.site.clients)
    for (const Router& router : clients.routers)
      if (router.file_system == system) add(router.at_switch);
  return names;
}

std::string names_of(const ClientSystem& clients, const std::vector<std::size_t>& routers) {
  std::vector<std::string> names;
  for (const std::size_t router : routers) names.push_back(clients.routers[router].host);
  return fmt::format("[{}]", fmt::join(names, ", "));
}

/// The nets of a router: its clients', and those of all groups to which it leads.
std::string nets_of(const Plan& plan, std::size_t client, std::size_t number) {
  const Router& router = plan.site.clients[client].routers[number];
  std::string nets = net_of_clients(client);
  for (const Group& group : plan.groups) {
    for (const int hops : kHops)
      if (group.routers[client].has(hops, number))
        nets += fmt::format(", {{net: {}, switch: {}}}", net_of(group), router.at_switch);
  }
  return nets;
}

void add_switches(const Plan& plan, std::string& text) {
  std::vector<std::string> all, links;
  for (const ClientSystem& clients : plan.site.clients) all.push_back("net-of-" + clients.name);
  for (std::size_t i = 0; i < plan.site.file_systems.size(); ++i) {
    const auto row = switches_of(plan, i);
    for (std::size_t k = 1; k < row.size(); ++k)
      links.push_back(fmt::format("    - {{between: [{}, {}]}}\n", row[k - 1], row[k]));
    all.insert(all.end(), row.begin(), row.end());
  }
  text += fmt::format("switches: [{}]\n", fmt::join(all, ", "));
  if (!links.empty()) text += fmt::format("switch links:\n{}", fmt::join(links, ""));
}

void add_nets(const Plan& plan, std::string& text) {
  text += "nets:\n";
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i)
    text += fmt::format("    {}: {{label: {}, switch: net-of-{}}}\n", net_of_clients(i),
                        plan.site.clients[i].name, plan.site.clients[i].name);
  for (const Group& group : plan.groups)
    text += fmt::format("    {}: {{label: {} {:03}}}\n", net_of(group),
                        plan.site.file_systems[group.file_system].name, group.suffix);
  for (const FileSystem& system : plan.site.file_systems)
    if (const std::string net = net_among_servers(plan, system); !net.empty())
      text += fmt::format("    {}: {{label: servers of {}}}\n", net, system.name);
}

void add_nodes(const Plan& plan, std::uint32_t clients_of_each, std::string& text) {
  text += "nodes:\n";
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i) {
    const ClientSystem& clients = plan.site.clients[i];
    text += fmt::format("    {}[1-{}]: {{nets: {}}}\n", clients.name, clients_of_each,
                        net_of_clients(i));
    for (std::size_t k = 0; k < clients.routers.size(); ++k)
      text += fmt::format("    {}: {{nets: [{}], routing: yes}}\n", clients.routers[k].host,
                          nets_of(plan, i, k));
  }
  for (const Group& group : plan.groups) {
    const FileSystem& system = plan.site.file_systems[group.file_system];
    const std::string among = net_among_servers(plan, system);
    for (const std::size_t each : group.servers) {
      const Server& server = system.servers[each];
      const std::string own =
          fmt::format("{{net: {}, switch: {}}}", net_of(group), server.at_switch);
      text += among.empty() ? fmt::format("    {}: {{nets: {}}}\n", server.host, own)
                            : fmt::format("    {}: {{nets: [{}, {{net: {}, switch: {}}}]}}\n",
                                          server.host, own, among, server.at_switch);
    }
  }
}

void add_routes(const Plan& plan, std::string& text) {
  text += "routes:\n";
  for (const Group& group : plan.groups) {
    std::vector<std::string> servers;
    for (const std::size_t each : group.servers)
      servers.push_back(plan.site.file_systems[group.file_system].servers[each].host);
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const ClientSystem& clients = plan.site.clients[client];
      for (const int hops : kHops) {
        const auto& routers = group.routers[client].of(hops);
        if (routers.empty()) continue;
        text += fmt::format("    - {{on: {}, net: {}, via: {}, hops: {}}}\n", clients.name,
                            net_of(group), names_of(clients, routers), hops);
        text += fmt::format("    - {{on: [{}], net: {}, via: {}, hops: {}}}\n",
                            fmt::join(servers, ", "), net_of_clients(client),
                            names_of(clients, routers), hops);
      }
    }
  }
}

}  // namespace

std::string lab_topology(const Plan& plan, std::uint32_t clients_of_each) {
  std::string text;
  add_switches(plan, text);
  add_nets(plan, text);
  add_nodes(plan, clients_of_each, text);
  add_routes(plan, text);
  return text;
}

}  // namespace ulnet::plan
