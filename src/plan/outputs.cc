#include "plan/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"
#include "plan/cables.h"
#include "plan/host_config.h"
#include "plan/options.h"

namespace ulnet::plan {
namespace {

/// The last part of file names, and Ansible's group of hosts, for hosts of one kind and system.
std::string kind_of(const Plan& plan, const HostConfig& host, char between) {
  switch (host.kind) {
    case HostConfig::Kind::kClients:
      return fmt::format("clients{}{}", between, plan.site.clients[host.system].name);
    case HostConfig::Kind::kRouter:
      return fmt::format("routers{}{}", between, plan.site.clients[host.system].name);
    case HostConfig::Kind::kServer:
      return fmt::format("servers{}{}", between, plan.site.file_systems[host.system].name);
  }
  return {};
}

std::string file_name(const Plan& plan, const HostConfig& host) {
  return host.kind == HostConfig::Kind::kClients ? kind_of(plan, host, '-') : host.host;
}

std::string net_names(const HostConfig& host) {
  std::string names;
  for (const HostNet& net : host.nets) names += (names.empty() ? "" : ", ") + net.net.to_string();
  return names;
}

/// Where hosts of the kind are that are no single machine: clients.
std::string host_names(const Plan& plan, const HostConfig& host) {
  return host.kind == HostConfig::Kind::kClients ? plan.site.clients[host.system].name : host.host;
}

/// MGS and MDS have no peak that routers would have to carry.
bool has_oss(const Plan& plan, const Group& group) {
  return std::ranges::any_of(group.servers, [&](std::size_t each) {
    return !plan.site.file_systems[group.file_system].servers[each].metadata();
  });
}

std::string server_names(const Plan& plan, const Group& group) {
  std::vector<std::string> names;
  for (const std::size_t each : group.servers)
    names.push_back(plan.site.file_systems[group.file_system].servers[each].host);
  if (names.size() > 4)
    return fmt::format("{}, ... {} ({})", names.front(), names.back(), names.size());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string groups_text(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {{"group", "net", "switch", "servers", "clients",
                                                 "routers", "secondary", "GB/s", "peak",
                                                 "surplus"}};
  for (const Group& group : plan.groups) {
    const FileSystem& system = plan.site.file_systems[group.file_system];
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const GroupRouters& routers = group.routers[client];
      if (routers.primary.empty()) continue;
      const ClientSystem& clients = plan.site.clients[client];
      const double carried = static_cast<double>(routers.primary.size()) * clients.router_gb_per_s;
      const double surplus = plan.surplus_of(group, client);
      rows.push_back({fmt::format("{} {:03}", system.name, group.suffix), group.net.to_string(),
                      group.at_switch.empty() ? "-" : group.at_switch, server_names(plan, group),
                      clients.name, std::to_string(routers.primary.size()),
                      std::to_string(routers.secondary.size()), fmt::format("{:.1f}", carried),
                      has_oss(plan, group) ? fmt::format("{:.1f}", carried - surplus) : "-",
                      has_oss(plan, group) ? fmt::format("{:+.1f}", surplus) : "-"});
    }
  }
  std::string text = text::text_table(rows);
  for (const FileSystem& system : plan.site.file_systems)
    if (system.among_servers)
      text += fmt::format("{}: the net among its servers is {}\n", system.name,
                          system.among_servers->to_string());
  return text;
}

std::string inventory(const Plan& plan) {
  std::string text = "all:\n  children:\n", last;
  for (const HostConfig& host : host_configs(plan)) {
    const std::string kind = kind_of(plan, host, '_');
    if (kind != last) text += fmt::format("    {}:\n      hosts:\n", kind);
    last = kind;
    text += fmt::format("        {}:\n          ulnet_nets: [{}]\n", host_names(plan, host),
                        net_names(host));
    text += fmt::format("          ulnet_modprobe: modprobe/{}.conf\n", kind_of(plan, host, '-'));
    text += fmt::format("          ulnet_lnetctl: lnetctl/{}.yaml\n", file_name(plan, host));
  }
  return text;
}

std::vector<OutputFile> outputs_of(const Plan& plan, const LabOptions& lab) {
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i) {
    const std::string& name = plan.site.clients[i].name;
    files.push_back({"modprobe/clients-" + name + ".conf", client_options(plan, i)});
    files.push_back({"modprobe/routers-" + name + ".conf", router_options(plan, i)});
  }
  for (std::size_t i = 0; i < plan.site.file_systems.size(); ++i)
    files.push_back(
        {"modprobe/servers-" + plan.site.file_systems[i].name + ".conf", server_options(plan, i)});
  for (const HostConfig& host : host_configs(plan)) {
    files.push_back({"lnetctl/" + file_name(plan, host) + ".yaml", lnetctl_yaml(host)});
    files.push_back({"routes/" + file_name(plan, host) + ".routes", routes_text(host)});
  }
  files.push_back({"inventory.yaml", inventory(plan)});
  files.push_back({"cables-by-router.txt", cable_text(cables_of(plan, CableOrder::kRouters))});
  files.push_back({"cables-by-switch.txt", cable_text(cables_of(plan, CableOrder::kSwitches))});
  files.push_back({"cables-by-server.txt", cable_text(cables_of(plan, CableOrder::kServers))});
  files.push_back({"cables.csv", cable_csv(cables_of(plan, CableOrder::kRouters))});
  files.push_back({"groups.txt", groups_text(plan)});
  files.push_back({"lab.yaml", lab_topology(plan, lab)});
  return files;
}

}  // namespace ulnet::plan
