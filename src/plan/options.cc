#include "plan/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "wire/text.h"

namespace ulnet::plan {
namespace {

/// "[1,2,3]"; of one number that alone.
std::string bracket(const std::vector<std::uint32_t>& numbers) {
  return numbers.size() == 1 ? std::to_string(numbers.front())
                             : fmt::format("[{}]", fmt::join(numbers, ","));
}

void put_in_order(std::vector<std::uint32_t>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Gateways of one net: "[68,90]@gni1", or for nets with IP addresses
/// "10.10.100.[103,104]@o2ib6002".
std::string gateways(std::vector<std::uint32_t> addresses, NetId net) {
  if (wire::text::name_of(net.type)->form == wire::text::Form::kNumber) {
    put_in_order(addresses);
    return bracket(addresses) + "@" + net.to_string();
  }
  std::string words;
  for (const auto word : std::views::split(words_of(addresses), ' '))
    words +=
        (words.empty() ? "" : " ") + std::string(word.begin(), word.end()) + "@" + net.to_string();
  return words;
}

/// On the servers' fabric, of the group's routers; added to `addresses`.
void add_addresses(const ClientSystem& clients, const std::vector<std::size_t>& routers,
                   std::vector<Address>& addresses) {
  for (const std::size_t router : routers)
    addresses.insert(addresses.end(), clients.routers[router].addresses.begin(),
                     clients.routers[router].addresses.end());
}

/// Routes of clients, and of routers, to each group's net: first all primary ones.
std::vector<std::string> routes_to_servers(const Plan& plan, std::size_t client) {
  const ClientSystem& clients = plan.site.clients[client];
  std::vector<std::string> routes;
  for (const int hops : kHops)
    for (const Group& group : plan.groups) {
      std::vector<std::uint32_t> nids;
      for (const std::size_t router : group.routers[client].of(hops))
        nids.push_back(clients.routers[router].client_nid.address4());
      if (nids.empty()) continue;
      routes.push_back(
          fmt::format("{} {} {}", group.net.to_string(), hops, gateways(nids, clients.net)));
    }
  return routes;
}

std::string client_entry(const ClientSystem& clients) {
  return clients.net.to_string() + " " + clients.addresses;
}

std::string join_options(const std::vector<std::string>& nets,
                         const std::vector<std::string>& routes) {
  std::string text = option_text("ip2nets", nets);
  if (!routes.empty()) text += option_text("routes", routes);
  return text;
}

}  // namespace

std::string words_of(std::vector<Address> addresses) {
  put_in_order(addresses);
  std::map<Address, std::vector<std::uint32_t>> by_prefix;
  for (const Address address : addresses) by_prefix[address >> 8].push_back(address & 0xff);
  std::string words;
  for (const auto& [prefix, last] : by_prefix)
    words += fmt::format("{}{}.{}.{}.{}", words.empty() ? "" : " ", prefix >> 16,
                         prefix >> 8 & 0xff, prefix & 0xff, bracket(last));
  return words;
}

std::string option_text(const std::string& name, const std::vector<std::string>& entries) {
  // As the document's listing has it: ten columns left of the first entry.
  const std::string head = "options lnet " + name + "=\"";
  const std::string between = ";\\\n" + std::string(head.size() - 10, ' ');
  return head + fmt::format("{}", fmt::join(entries, between)) + "\"\n";
}

std::string router_options(const Plan& plan, std::size_t client) {
  const ClientSystem& clients = plan.site.clients[client];
  std::vector<std::string> nets = {client_entry(clients)};
  for (const Group& group : plan.groups) {
    std::vector<Address> addresses;
    for (const int hops : kHops) add_addresses(clients, group.routers[client].of(hops), addresses);
    if (!addresses.empty()) nets.push_back(group.net.to_string() + " " + words_of(addresses));
  }
  return join_options(nets, routes_to_servers(plan, client));
}

std::string client_options(const Plan& plan, std::size_t client) {
  return join_options({client_entry(plan.site.clients[client])}, routes_to_servers(plan, client));
}

std::string server_options(const Plan& plan, std::size_t file_system) {
  const FileSystem& system = plan.site.file_systems[file_system];
  std::vector<std::string> nets, routes;
  for (const Group& group : plan.groups) {
    if (group.file_system != file_system) continue;
    std::vector<Address> addresses;
    for (const std::size_t server : group.servers)
      addresses.push_back(system.servers[server].address);
    nets.push_back(group.net.to_string() + " " + words_of(addresses));
  }
  if (system.among_servers) {
    std::vector<Address> addresses;
    for (const Server& server : system.servers) addresses.push_back(server.address);
    nets.push_back(system.among_servers->to_string() + " " + words_of(addresses));
  }
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    const ClientSystem& clients = plan.site.clients[client];
    for (const int hops : kHops)
      for (const Group& group : plan.groups) {
        if (group.file_system != file_system) continue;
        std::vector<Address> addresses;
        add_addresses(clients, group.routers[client].of(hops), addresses);
        if (addresses.empty()) continue;
        routes.push_back(
            fmt::format("{} {} {}", clients.net.to_string(), hops, gateways(addresses, group.net)));
      }
  }
  return join_options(nets, routes);
}

}  // namespace ulnet::plan
