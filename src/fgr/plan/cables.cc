#include "fgr/plan/cables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fgr/plan/options.h"
#include "lnet/base/text_table.h"

namespace ulnet::plan {
namespace {

/// Returns "home 002, 004"; for two file systems "home 002, 004; projects 002".
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

/// Assigns the fabric's cables: each address of a host gets one of the host's cables, first those
/// to the planned switch.
class FabricPorts {
 public:
  explicit FabricPorts(const Plan& plan) {
    for (const Switch& each : plan.site.switches) switches_.emplace(each.name, &each);
    if (!plan.fabric) return;
    for (const SeenCable& cable : plan.fabric->cables) {
      cables_[cable.host].push_back(&cable);
      guids_[cable.switch_name].insert(cable.switch_guid);
    }
  }

  Cable with_ports(Cable cable) {
    if (const auto at = switches_.find(cable.at_switch); at != switches_.end()) {
      cable.switch_place = at->second->rack;
      if (at->second->guid != 0) cable.switch_guid = guid_text(at->second->guid);
    }
    const auto guids = guids_.find(cable.at_switch);
    if (guids != guids_.end() && guids->second.size() == 1)
      cable.switch_guid = *guids->second.begin();
    auto& left = cables_[cable.host];
    if (left.empty()) return cable;
    auto seen = std::ranges::find(left, cable.at_switch, &SeenCable::switch_name);
    const bool as_planned = seen != left.end();
    if (!as_planned) seen = left.begin();
    cable.adapter_guid = (*seen)->guid;
    cable.adapter_port = (*seen)->adapter_port;
    if (as_planned) {
      cable.rate = (*seen)->rate;
      cable.switch_guid = (*seen)->switch_guid;
      cable.switch_port = (*seen)->switch_port;
    }
    left.erase(seen);
    return cable;
  }

 private:
  std::map<std::string, const Switch*> switches_;
  std::map<std::string, std::vector<const SeenCable*>> cables_;  ///< by host
  std::map<std::string, std::set<std::string>> guids_;           ///< by switch
};

std::vector<Cable> router_cables(const Plan& plan, FabricPorts& fabric) {
  std::vector<Cable> cables;
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    const auto& routers = plan.site.clients[client].routers;
    for (std::size_t i = 0; i < routers.size(); ++i)
      for (const Address address : routers[i].addresses)
        cables.push_back(fabric.with_ports({.host = routers[i].host,
                                            .place = routers[i].physical,
                                            .address = words_of({address}),
                                            .at_switch = routers[i].at_switch,
                                            .groups = groups_of(plan, client, i),
                                            .router = true,
                                            .label = routers[i].cable}));
  }
  return cables;
}

std::vector<Cable> server_cables(const Plan& plan, FabricPorts& fabric) {
  std::vector<Cable> cables;
  for (const Group& group : plan.groups) {
    const FileSystem& system = plan.site.file_systems[group.file_system];
    for (const std::size_t each : group.servers) {
      const Server& server = system.servers[each];
      cables.push_back(fabric.with_ports({.host = server.host,
                                          .place = server.rack,
                                          .address = words_of({server.address}),
                                          .at_switch = server.at_switch,
                                          .groups = plan.name_of(group),
                                          .router = false,
                                          .label = server.cable}));
    }
  }
  return cables;
}

using Row = std::vector<std::string>;

struct Column {
  const char* head;
  bool always;  ///< shown even if it is empty
  std::string (*of)(const Cable&);
};

std::string port(std::uint32_t number) { return number == 0 ? "" : std::to_string(number); }

constexpr Column kColumns[] = {
    {"host", true, [](const Cable& of) { return of.host; }},
    {"place", true, [](const Cable& of) { return of.place; }},
    {"adapter GUID", false, [](const Cable& of) { return of.adapter_guid; }},
    {"adapter port", false, [](const Cable& of) { return port(of.adapter_port); }},
    {"address", true, [](const Cable& of) { return of.address; }},
    {"cable", false, [](const Cable& of) { return of.label; }},
    {"rate", false, [](const Cable& of) { return of.rate; }},
    {"switch", true, [](const Cable& of) { return of.at_switch; }},
    {"switch place", false, [](const Cable& of) { return of.switch_place; }},
    {"switch GUID", false, [](const Cable& of) { return of.switch_guid; }},
    {"switch port", false, [](const Cable& of) { return port(of.switch_port); }},
    {"groups", true, [](const Cable& of) { return of.groups; }},
};

std::vector<Row> rows_of(const std::vector<Cable>& cables, bool all_columns) {
  std::vector<Row> rows(cables.size() + 1);
  for (const Column& column : kColumns) {
    const auto has = [&](const Cable& cable) { return !column.of(cable).empty(); };
    if (!all_columns && !column.always && std::ranges::none_of(cables, has)) continue;
    rows[0].emplace_back(column.head);
    for (std::size_t i = 0; i < cables.size(); ++i) rows[i + 1].push_back(column.of(cables[i]));
  }
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
  FabricPorts fabric(plan);
  std::vector<Cable> cables = router_cables(plan, fabric), servers = server_cables(plan, fabric);
  if (order == CableOrder::kServers) std::swap(cables, servers);
  cables.insert(cables.end(), servers.begin(), servers.end());
  if (order != CableOrder::kSwitches) return cables;
  std::multimap<std::string, Cable> by_switch;  // cables of one switch stay in their order
  for (Cable& cable : cables) by_switch.emplace(cable.at_switch, std::move(cable));
  cables.clear();
  for (auto& [name, cable] : by_switch) cables.push_back(std::move(cable));
  return cables;
}

std::string cable_text(const std::vector<Cable>& cables) {
  return text::text_table(rows_of(cables, false));
}

std::string cable_csv(const std::vector<Cable>& cables) {
  std::string text;
  for (const Row& row : rows_of(cables, true)) {
    std::string line;
    for (const std::string& field : row) line += (&field == &row[0] ? "" : ",") + quoted(field);
    text += line + "\r\n";
  }
  return text;
}

}  // namespace ulnet::plan
