#include "fgr/plan/planned.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/base/nearest_word.h"
#include "lnet/wire/text.h"

namespace ulnet::plan {
namespace {

PlannedInterface interface_of(const std::string& text) {
  PlannedInterface made{.text = text, .pattern = {}, .address = wire::text::ip4(text)};
  // The site reader has checked patterns. A wrong pattern in a site from another source matches
  // nothing.
  if (auto pattern = wire::AddressPattern::parse_ip(text)) made.pattern = std::move(*pattern);
  return made;
}

}  // namespace

bool PlannedHost::has(NetId net) const {
  return std::ranges::find(nets, net, &std::pair<NetId, std::size_t>::first) != nets.end();
}

Planned::Planned(const Plan& plan) : plan_(plan) {
  for (HostConfig& config : host_configs(plan)) add(std::move(config));
  for (std::size_t i = 0; i < plan.groups.size(); ++i) groups_.emplace(plan.groups[i].net, i);
  for (std::size_t i = 0; i < plan.site.clients.size(); ++i)
    client_systems_.emplace(plan.site.clients[i].net, i);
  for (std::size_t i = 0; i < plan.site.file_systems.size(); ++i)
    if (const auto& net = plan.site.file_systems[i].among_servers) among_servers_.emplace(*net, i);
}

void Planned::add(HostConfig config) {
  const std::size_t number = hosts_.size();
  PlannedHost host;
  for (const HostNet& net : config.nets)
    for (const std::string& text : net.addresses) {
      auto at = std::ranges::find(host.interfaces, text, &PlannedInterface::text);
      if (at == host.interfaces.end()) at = host.interfaces.insert(at, interface_of(text));
      host.nets.emplace_back(net.net, static_cast<std::size_t>(at - host.interfaces.begin()));
      if (!at->address || config.kind == HostConfig::Kind::kClients) continue;
      by_nid_.emplace(Nid::small(net.net, *at->address), number);
      by_address_.emplace(*at->address, number);
    }
  host.config = std::move(config);
  if (host.router()) {
    by_nid_.emplace(router(host).client_nid, number);
    // A router that no group needs is on none of their nets.
    for (const Address address : router(host).addresses) by_address_.emplace(address, number);
  }
  if (!host.clients()) by_name_.emplace(host.config.host, number);
  hosts_.push_back(std::move(host));
}

std::optional<std::size_t> Planned::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> Planned::owner(const Nid& nid) const {
  const auto at = by_nid_.find(nid);
  return at == by_nid_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> Planned::owner(Address address) const {
  const auto at = by_address_.find(address);
  return at == by_address_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<Nid> Planned::nids() const {
  std::vector<Nid> nids;
  nids.reserve(by_nid_.size());
  for (const auto& [nid, host] : by_nid_) nids.push_back(nid);
  std::ranges::sort(nids);
  return nids;
}

const Group* Planned::group_of(NetId net) const {
  const auto at = groups_.find(net);
  return at == groups_.end() ? nullptr : &plan_.groups[at->second];
}

std::optional<std::size_t> Planned::among_servers(NetId net) const {
  const auto at = among_servers_.find(net);
  return at == among_servers_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> Planned::client_system_of(NetId net) const {
  const auto at = client_systems_.find(net);
  return at == client_systems_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<std::size_t> Planned::of_kind(HostConfig::Kind kind, std::size_t system) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < hosts_.size(); ++i)
    if (hosts_[i].config.kind == kind && hosts_[i].config.system == system) found.push_back(i);
  return found;
}

std::vector<HostRoute> Planned::routes_of(std::span<const std::size_t> hosts) const {
  std::vector<HostRoute> routes;
  for (const std::size_t each : hosts) {
    const HostConfig* config = &hosts_[each].config;
    // A router has the routes of its clients, except to its own nets; together the routers have all
    // of them.
    if (config->kind == HostConfig::Kind::kRouter && hosts.size() > 1) {
      const auto clients = of_kind(HostConfig::Kind::kClients, config->system);
      if (!clients.empty()) config = &hosts_[clients.front()].config;
    }
    routes.insert(routes.end(), config->routes.begin(), config->routes.end());
    if (config != &hosts_[each].config) break;
  }
  const auto ends = [](const HostRoute& route) { return std::tie(route.net, route.gateway); };
  std::ranges::sort(routes, {}, ends);
  const auto rest = std::ranges::unique(routes, {}, ends);
  routes.erase(rest.begin(), rest.end());
  return routes;
}

const Router& Planned::router(const PlannedHost& host) const {
  return plan_.site.clients[host.config.system].routers[host.config.number];
}

const Server& Planned::server(const PlannedHost& host) const {
  return plan_.site.file_systems[host.config.system].servers[host.config.number];
}

bool is_numbered(NetId net) {
  const auto* const name = wire::text::name_of(net.type);
  return name != nullptr && name->form == wire::text::Form::kNumber;
}

std::string words_for(const Planned& planned, std::size_t host) {
  const HostConfig& config = planned.host(host).config;
  if (config.kind == HostConfig::Kind::kClients) return "the clients of " + config.host;
  return fmt::format("{} {}", to_string(config.kind), config.host);
}

std::string words_for(const Planned& planned, std::span<const std::size_t> hosts) {
  if (hosts.size() == 1) return words_for(planned, hosts.front());
  const HostConfig& first = planned.host(hosts.front()).config;
  const bool routers = first.kind == HostConfig::Kind::kRouter;
  const Site& site = planned.plan().site;
  if (std::ranges::equal(hosts, planned.of_kind(first.kind, first.system)))
    return routers ? "the routers of " + site.clients[first.system].name
                   : "the servers of " + site.file_systems[first.system].name;
  std::vector<std::string> names;
  for (const std::size_t each : hosts) names.push_back(planned.host(each).config.host);
  return (routers ? "routers " : "servers ") + list_of(names);
}

std::string words_for(const Planned& planned, NetId net) {
  if (const Group* const group = planned.group_of(net))
    return fmt::format("{} ({}, group {:03})", net.to_string(),
                       planned.plan().site.file_systems[group->file_system].name, group->suffix);
  if (const auto system = planned.among_servers(net))
    return fmt::format("{} (servers of {})", net.to_string(),
                       planned.plan().site.file_systems[*system].name);
  if (const auto system = planned.client_system_of(net))
    return fmt::format("{} (clients {})", net.to_string(),
                       planned.plan().site.clients[*system].name);
  return net.to_string();
}

std::string suggestion(std::string_view typed, std::span<const std::string_view> names) {
  const std::string_view nearest = text::nearest_word(typed, names);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

}  // namespace ulnet::plan
