// Which routers are for which groups: the sizes of groups, where routers lead, and the checks that
// need the whole site.
#include <fmt/format.h>

#include <algorithm>

#include "fgr/plan/kinds.h"
#include "fgr/plan/planned.h"
#include "fgr/site/reading.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {

constexpr double kSmallest = 0.001;  ///< share or weight

using plan::ClientSystem;
using plan::FileSystem;
using plan::Router;

namespace {

/// Returns the name that was probably meant; else the known names.
std::string meant_or_known(const std::string& typed, const std::vector<std::string_view>& names) {
  const std::string meant = plan::suggestion(typed, names);
  return meant.empty() ? ": there are " + plan::list_of({names.begin(), names.end()}) : meant;
}

}  // namespace

template <class Value, class Read>
void SiteReading::read_by_client(const conf::YamlNode& map, std::map<std::string, Value>& out,
                                 Read&& read) {
  if (map.entries.empty()) wrong(map, "it names no clients: {NAME: ..., ...}");
  for (const conf::YamlEntry& entry : map.entries) {
    clients_named_.emplace_back(&entry.value, entry.key);
    if (const auto value = read(entry.value)) out.insert_or_assign(entry.key, *value);
  }
}

void SiteReading::read_group_sizes(text::Fields& fields, FileSystem& system) {
  fields.number("OSSs per group", system.osss_per_group, 1, kMaxInGroup);
  const auto count = [&](const conf::YamlNode& value) -> std::optional<std::uint32_t> {
    const auto number = text::number(value.text, kMaxInGroup);
    if (value.is_scalar() && number.value_or(0) > 0) return static_cast<std::uint32_t>(*number);
    wrong(value,
          fmt::format("'{}' is not a whole number from 1 to {}", value.shown(), kMaxInGroup));
    return std::nullopt;
  };
  if (const conf::YamlNode* routers = fields.take("routers per group")) {
    if (routers->is_map())
      read_by_client(*routers, system.routers_per_group_of, count);
    else
      system.routers_per_group = count(*routers).value_or(0);
  }
  if (const conf::YamlNode* shares = fields.take("share of clients")) {
    if (!shares->is_map()) return wrong(*shares, "shares of clients are {NAME: 0.5, ...}");
    read_by_client(*shares, system.shares, [&](const conf::YamlNode& value) {
      return number(value, kSmallest, 1, "no share: from 0.001 to 1, as 0.5");
    });
  }
}

void SiteReading::look_for_clients() {
  std::vector<std::string_view> names;
  for (const ClientSystem& clients : site_.clients) names.push_back(clients.name);
  for (const auto& [at, name] : clients_named_)
    if (std::ranges::find(names, name) == names.end())
      wrong(*at, fmt::format("there are no clients {}{}", text::quoted(name),
                             meant_or_known(name, names)));
}

/// Finds NIDs of routers on their clients' net whose address another host has on the fabric. The
/// router itself may have it there.
void SiteReading::look_for_nids_on_fabric() {
  for (const ClientSystem& clients : site_.clients) {
    if (plan::is_numbered(clients.net)) continue;
    for (const Router& router : clients.routers) {
      const auto owner = address_owners_.find(router.client_nid.address4());
      if (owner != address_owners_.end() && owner->second != router.host)
        mistakes_.push_back({router_places_.at(router.host),
                             fmt::format("{} has the address of {} as its NID, {}", router.host,
                                         owner->second, router.client_nid.to_string())});
    }
  }
}

std::optional<std::size_t> SiteReading::file_system(const conf::YamlNode& at,
                                                    const std::string& name) {
  if (const auto found = file_systems_.find(name); found != file_systems_.end())
    return found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, number] : file_systems_) names.push_back(known);
  if (!names.empty())  // a missing name has been reported
    wrong(at, fmt::format("there is no file system {}{}", text::quoted(name),
                          meant_or_known(name, names)));
  return std::nullopt;
}

/// Reads where a router leads: "home", [home, projects], or with weights {home: 2, projects: 1}.
void SiteReading::read_destinations(text::Fields& fields, Router& router) {
  const conf::YamlNode* value = fields.take("file system");
  if (value == nullptr) {
    if (file_systems_.size() > 1)
      wrong(fields.map(), "'file system' is missing: to which file system does the router lead?");
    return;
  }
  std::vector<std::size_t> systems;
  const auto add = [&](const conf::YamlNode& at, const std::string& name) {
    const auto system = file_system(at, name);
    if (system && std::ranges::find(systems, *system) != systems.end())
      wrong(at, "file system " + name + " is there already");
    else if (system)
      systems.push_back(*system);
  };
  if (value->is_map())
    for (const conf::YamlEntry& entry : value->entries) {
      add(entry.value, entry.key);
      const auto weight = number(entry.value, kSmallest, 1000,
                                 "no weight: from 0.001 to 1000, as 2 beside 1 of another");
      router.weights.push_back(weight.value_or(1));
    }
  else if (value->is_sequence())
    for (const conf::YamlNode& each : value->items) add(each, each.shown());
  else
    add(*value, value->text);
  if (!systems.empty())
    router.file_systems = std::move(systems);
  else if (value->is_sequence() ? value->items.empty() : value->is_map() && value->entries.empty())
    fields.wrong(*value, "'file system' names none");
}

/// Sets the values that the file leaves out. A group gets as many OSSs as its routers can carry,
/// for each client system; else half a side of a Sonexion's rack.
void SiteReading::settle_groups() {
  constexpr std::uint32_t kUsualOsss = plan::kSonexionSsusPerRack / 2;
  for (std::size_t i = 0; i < site_.file_systems.size(); ++i) {
    FileSystem& system = site_.file_systems[i];
    if (system.osss_per_group != 0) continue;
    std::optional<std::uint32_t> fewest;
    for (const ClientSystem& clients : site_.clients) {
      const std::uint32_t routers = system.routers_per_group_for(clients);
      const bool leads = std::ranges::any_of(
          clients.routers, [&](const Router& router) { return router.leads_to(i); });
      if (routers == 0 || !leads) continue;
      const std::uint32_t osss = plan::osss_for(routers, clients.router_gb_per_s,
                                                system.oss_gb_per_s * system.share_of(clients));
      fewest = std::min(fewest.value_or(osss), osss);
    }
    system.osss_per_group = fewest.value_or(kUsualOsss);
  }
}

}  // namespace ulnet::tools::fgr
