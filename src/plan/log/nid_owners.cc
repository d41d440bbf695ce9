#include "plan/log/nid_owners.h"

#include <algorithm>
#include <ranges>
#include <string>

#include "wire/text.h"

namespace ulnet::plan {
namespace {

/// Words that cannot be read are left out: the reader of site files refuses them.
std::vector<wire::AddressPattern> address_patterns_of(const ClientSystem& clients) {
  std::vector<wire::AddressPattern> patterns;
  for (const auto word : std::views::split(clients.addresses, ' ')) {
    if (word.empty()) continue;
    if (auto pattern = wire::AddressPattern::parse_ip(std::string(word.begin(), word.end())))
      patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

bool numbers_as_addresses(NetId net) {
  const wire::text::NetName* name = wire::text::name_of(net.type);
  return name != nullptr && name->form == wire::text::Form::kNumber;
}

}  // namespace

NidOwners::NidOwners(const Plan& plan) : plan_(plan) {
  add_hosts();
  for (std::size_t i = 0; i < plan.groups.size(); ++i) add_server_side(i);
  add_among_servers();
  for (const ClientSystem& clients : plan.site.clients)
    client_patterns_.push_back(address_patterns_of(clients));
}

void NidOwners::add_hosts() {
  for (std::size_t i = 0; i < plan_.site.file_systems.size(); ++i)
    for (std::size_t k = 0; k < plan_.site.file_systems[i].servers.size(); ++k)
      by_address_.emplace(plan_.site.file_systems[i].servers[k].address,
                          NidOwner{NidOwner::Kind::kServer, i, k, {}, false});
  for (std::size_t i = 0; i < plan_.site.clients.size(); ++i)
    for (std::size_t k = 0; k < plan_.site.clients[i].routers.size(); ++k) {
      const Router& router = plan_.site.clients[i].routers[k];
      const NidOwner owner{NidOwner::Kind::kRouter, i, k, {}, false};
      owners_.emplace(router.client_nid, owner);
      for (const Address address : router.addresses) by_address_.emplace(address, owner);
    }
}

void NidOwners::add_server_side(std::size_t number) {
  const Group& group = plan_.groups[number];
  groups_.emplace(group.net.value(), number);
  const auto add = [&](NidOwner::Kind kind, std::size_t system, std::size_t host, Address address) {
    owners_.emplace(Nid::small(group.net, address), NidOwner{kind, system, host, number, false});
  };
  const auto& servers = plan_.site.file_systems[group.file_system].servers;
  for (const std::size_t each : group.servers)
    add(NidOwner::Kind::kServer, group.file_system, each, servers[each].address);
  for (std::size_t client = 0; client < group.routers.size(); ++client)
    for (const int hops : kHops)
      for (const std::size_t router : group.routers[client].of(hops))
        for (const Address address : plan_.site.clients[client].routers[router].addresses)
          add(NidOwner::Kind::kRouter, client, router, address);
}

void NidOwners::add_among_servers() {
  for (std::size_t i = 0; i < plan_.site.file_systems.size(); ++i) {
    const FileSystem& system = plan_.site.file_systems[i];
    if (!system.among_servers) continue;
    among_servers_.insert(system.among_servers->value());
    for (std::size_t k = 0; k < system.servers.size(); ++k)
      owners_.emplace(Nid::small(*system.among_servers, system.servers[k].address),
                      NidOwner{NidOwner::Kind::kServer, i, k, {}, false});
  }
}

NidOwner NidOwners::of(const Nid& nid) const {
  if (const auto found = owners_.find(nid); found != owners_.end()) return found->second;
  const auto group = groups_.find(nid.net().value());
  if (group != groups_.end() || among_servers_.contains(nid.net().value())) {
    NidOwner owner;
    if (const auto host = by_address_.find(nid.address4());
        nid.is_small() && host != by_address_.end()) {
      owner = host->second;
      owner.stray = true;
    }
    if (group != groups_.end()) owner.group = group->second;
    return owner;
  }
  for (std::size_t i = 0; i < plan_.site.clients.size(); ++i) {
    if (nid.net() != plan_.site.clients[i].net) continue;
    if (numbers_as_addresses(nid.net()) ||
        std::ranges::any_of(client_patterns_[i],
                            [&](const auto& pattern) { return pattern.matches(nid); }))
      return {NidOwner::Kind::kClient, i, 0, {}, false};
  }
  return {};
}

std::vector<Nid> NidOwners::planned() const {
  std::vector<Nid> nids;
  nids.reserve(owners_.size());
  for (const auto& [nid, owner] : owners_) nids.push_back(nid);
  std::ranges::sort(nids);
  return nids;
}

}  // namespace ulnet::plan
