#include "fgr/plan/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fgr/plan/bandwidth.h"
#include "fgr/plan/cables.h"
#include "fgr/plan/host_config.h"
#include "lnet/base/text_table.h"

namespace ulnet::plan {
namespace {

struct HostKind {
  HostConfig::Kind kind = HostConfig::Kind::kClients;
  std::size_t system = 0;  // HostConfig::system

  auto operator<=>(const HostKind&) const = default;
};

/// Returns the last part of file names, and Ansible's group of hosts, for hosts of one kind and
/// system.
std::string name_of(const Plan& plan, const HostKind& of, char between) {
  return fmt::format("{}s{}{}", to_string(of.kind), between,
                     of.kind == HostConfig::Kind::kServer ? plan.site.file_systems[of.system].name
                                                          : plan.site.clients[of.system].name);
}
std::string modprobe_file(const Plan& plan, const HostKind& of) {
  return "modprobe/" + name_of(plan, of, '-') + ".conf";
}

/// Returns the kinds of hosts, in the order of the site.
std::vector<HostKind> kinds_of(const Plan& plan) {
  std::vector<HostKind> kinds;
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i) {
    kinds.push_back({HostConfig::Kind::kClients, i});
    kinds.push_back({HostConfig::Kind::kRouter, i});
  }
  for (std::size_t i = 0; i < plan.site.file_systems.size(); ++i)
    kinds.push_back({HostConfig::Kind::kServer, i});
  return kinds;
}

std::string file_name(const Plan& plan, const HostConfig& host) {
  return host.kind == HostConfig::Kind::kClients ? name_of(plan, {host.kind, host.system}, '-')
                                                 : host.host;
}

std::string net_names(const HostConfig& host) {
  std::string names;
  for (const HostNet& net : host.nets) names += (names.empty() ? "" : ", ") + net.net.to_string();
  return names;
}

/// Returns the name of a host. Clients are many machines, so theirs is the name of their system.
std::string host_names(const Plan& plan, const HostConfig& host) {
  return host.kind == HostConfig::Kind::kClients ? plan.site.clients[host.system].name : host.host;
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
    for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
      const GroupRouters& routers = group.routers[client];
      if (routers.primary.empty()) continue;
      const ClientSystem& clients = plan.site.clients[client];
      // MGS and MDS have no peak that routers would have to carry.
      const bool osss = plan.osss_of(group) != 0;
      rows.push_back({plan.name_of(group), group.net.to_string(),
                      group.at_switch.empty() ? "-" : group.at_switch, server_names(plan, group),
                      clients.name, std::to_string(routers.primary.size()),
                      std::to_string(routers.secondary.size()),
                      fmt::format("{:.1f}", plan.carried_by(group, client)),
                      osss ? fmt::format("{:.1f}", plan.peak_of(group, client)) : "-",
                      osss ? fmt::format("{:+.1f}", plan.surplus_of(group, client)) : "-"});
    }
  }
  std::string text = text::text_table(rows);
  for (const FileSystem& system : plan.site.file_systems)
    if (system.among_servers)
      text += fmt::format("{}: the net among its servers is {}\n", system.name,
                          system.among_servers->to_string());
  return text + "\n" + matching_text(plan);
}

std::vector<LongParameter> long_parameters(const Plan& plan, ListForm form, std::size_t most) {
  std::vector<LongParameter> all;
  for (const HostKind& of : kinds_of(plan)) {
    const ModuleOptions options = options_of(plan, of.kind, of.system, form);
    const ModuleParameter* const parameter = options.too_long(most);
    if (parameter == nullptr) continue;
    const std::string file =
        of.kind == HostConfig::Kind::kClients ? name_of(plan, of, '-') : std::string("HOST");
    all.push_back(
        {of.kind, of.system, *parameter, modprobe_file(plan, of), "lnetctl/" + file + ".yaml"});
  }
  return all;
}

namespace {

std::string alternative_to(const LongParameter& of) {
  return fmt::format(
      "{}= would have {} bytes, and a module takes {}. Configure these hosts with "
      "'lnetctl import' of {}.\n",
      of.parameter.name, of.parameter.bytes, limits::kParamTextMax, of.instead);
}

}  // namespace

std::string long_parameters_text(const Plan& plan, ListForm form) {
  std::string text;
  for (const LongParameter& each : long_parameters(plan, form))
    text += each.file + " has no options: " + alternative_to(each);
  return text;
}

std::string inventory(const Plan& plan, ListForm form) {
  std::set<HostKind> without_modprobe;
  for (const LongParameter& each : long_parameters(plan, form))
    without_modprobe.insert({each.kind, each.system});
  std::string text = "all:\n  children:\n", last;
  for (const HostConfig& host : host_configs(plan)) {
    const HostKind of{host.kind, host.system};
    const std::string kind = name_of(plan, of, '_');
    if (kind != last) text += fmt::format("    {}:\n      hosts:\n", kind);
    last = kind;
    text += fmt::format("        {}:\n          ulnet_nets: [{}]\n", host_names(plan, host),
                        net_names(host));
    if (!without_modprobe.contains(of))
      text += fmt::format("          ulnet_modprobe: {}\n", modprobe_file(plan, of));
    text += fmt::format("          ulnet_lnetctl: lnetctl/{}.yaml\n", file_name(plan, host));
  }
  return text;
}

std::vector<OutputFile> outputs_of(const Plan& plan, const LabOptions& lab, ListForm form) {
  std::vector<OutputFile> files;
  for (const HostKind& of : kinds_of(plan))
    files.push_back({modprobe_file(plan, of), options_of(plan, of.kind, of.system, form).text()});
  for (const LongParameter& each : long_parameters(plan, form))
    std::ranges::find(files, each.file, &OutputFile::path)->text = "# " + alternative_to(each);
  for (const HostConfig& host : host_configs(plan)) {
    files.push_back({"lnetctl/" + file_name(plan, host) + ".yaml", lnetctl_yaml(host)});
    files.push_back({"routes/" + file_name(plan, host) + ".routes", routes_text(host)});
  }
  files.push_back({"inventory.yaml", inventory(plan, form)});
  files.push_back({"cables-by-router.txt", cable_text(cables_of(plan, CableOrder::kRouters))});
  files.push_back({"cables-by-switch.txt", cable_text(cables_of(plan, CableOrder::kSwitches))});
  files.push_back({"cables-by-server.txt", cable_text(cables_of(plan, CableOrder::kServers))});
  files.push_back({"cables.csv", cable_csv(cables_of(plan, CableOrder::kRouters))});
  files.push_back({"groups.txt", groups_text(plan)});
  files.push_back({"lab.yaml", lab_topology(plan, lab)});
  return files;
}

}  // namespace ulnet::plan
