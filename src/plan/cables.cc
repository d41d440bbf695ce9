#include "plan/cables.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/text_table.h"
#include "plan/options.h"

namespace ulnet::plan {
namespace {

/// "home 002, 004"; of two file systems "home 002, 004; projects 002".
std::string groups_of(const Plan& plan, std::size_t client, std::size_t router) {
  std::vector<std::string> systems;
  for (const std::size_t system : plan.site.clients[client].routers[router].file_systems) {
    std::vector<std::string> suffixes;
    for (const int hops : kHops)
      for (const Group& group : plan.groups)
        if (group.file_system == system && group.routers[client].has(hops, router))
          suffixes.push_back(fmt::format("{:03}", group.suffix));
    systems.push_back(fmt::format("{} {}{}", plan.site.file_systems[system].name,
                                  fmt::join(suffixes, ", "),
                                  plan.is_spare(client, router, system) ? " (spare)" : ""));
  }
  return fmt::format("{}", fmt::join(systems, "; "));
}

std::vector<Cable> router_cables(const Plan& plan) {
  std::vector<Cable> cables;
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    const auto& routers = plan.site.clients[client].routers;
    for (std::size_t i = 0; i < routers.size(); ++i)
      for (const Address address : routers[i].addresses)
        cables.push_back({routers[i].host, routers[i].physical, words_of({address}),
                          routers[i].at_switch, groups_of(plan, client, i), true});
  }
  return cables;
}

std::vector<Cable> server_cables(const Plan& plan) {
  std::vector<Cable> cables;
  for (const Group& group : plan.groups) {
    const FileSystem& system = plan.site.file_systems[group.file_system];
    for (const std::size_t each : group.servers) {
      const Server& server = system.servers[each];
      cables.push_back({server.host, "", words_of({server.address}), server.at_switch,
                        fmt::format("{} {:03}", system.name, group.suffix), false});
    }
  }
  return cables;
}

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::vector<Cable>& cables) {
  std::vector<Row> rows = {{"host", "place", "address", "switch", "groups"}};
  for (const Cable& cable : cables)
    rows.push_back({cable.host, cable.physical, cable.address, cable.at_switch, cable.groups});
  return rows;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::vector<Cable> cables_of(const Plan& plan, CableOrder order) {
  std::vector<Cable> cables = router_cables(plan), servers = server_cables(plan);
  if (order == CableOrder::kServers) std::swap(cables, servers);
  cables.insert(cables.end(), servers.begin(), servers.end());
  if (order != CableOrder::kSwitches) return cables;
  std::multimap<std::string, Cable> by_switch;  // those of one switch stay in their order
  for (Cable& cable : cables) by_switch.emplace(cable.at_switch, std::move(cable));
  cables.clear();
  for (auto& [name, cable] : by_switch) cables.push_back(std::move(cable));
  return cables;
}

std::string cable_text(const std::vector<Cable>& cables) {
  return text::text_table(rows_of(cables));
}

std::string cable_csv(const std::vector<Cable>& cables) {
  std::string text;
  for (const Row& row : rows_of(cables)) {
    std::string line;
    for (const std::string& field : row) line += (&field == &row[0] ? "" : ",") + quoted(field);
    text += line + "\r\n";
  }
  return text;
}

}  // namespace ulnet::plan
