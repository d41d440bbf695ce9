#include "fgr/plan/lab_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "fgr/plan/kinds.h"
#include "fgr/plan/lab_plan.h"
#include "fgr/plan/options.h"

namespace ulnet::plan {
namespace {

using ClientAddresses = std::vector<std::vector<Address>>;

class Lab {
 public:
  /// `addresses`: nodes keep the plan's addresses, and clients get these.
  Lab(const Plan& site, LabPlan lab, const LabOptions& options,
      std::optional<ClientAddresses> addresses)
      : lab_(std::move(lab)),
        plan_(lab_.plan),
        site_(plan_.site),
        clients_of_each_(options.clients_of_each),
        scale_(options.scale != 0 ? options.scale : lab_scale(site)),
        addresses_(std::move(addresses)) {}

  std::string text() {
    add("about: planned by ulnet-fgr; rates are 1:{} of the site's\n", scale_);
    add_switches();
    add_nets();
    if (addresses_) add_module_parameters();
    add_nodes();
    add_routes();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  const std::string& host(const std::string& name) const { return lab_.nodes.at(name); }
  const std::string& switch_of(const std::string& name) const { return lab_.switches.at(name); }
  /// Returns ", rate: 26MB/s"; empty if the site has no rate.
  std::string rate(double gb_per_s) const {
    constexpr double kMin = 0.001;  // MB/s
    return gb_per_s <= 0
               ? ""
               : fmt::format(", rate: {:.6g}MB/s", std::max(gb_per_s * 1000 / scale_, kMin));
  }
  std::string at(Address address) const {
    return addresses_ ? ", address: " + words_of({address}) : "";
  }
  std::string started_from(const std::string& name) const {
    return addresses_ ? ", module parameters: " + name : "";
  }

  /// Returns the switches of a file system, and of the routers that lead to it, in the order of
  /// their first appearance.
  std::vector<std::string> switches_of(std::size_t system) const {
    std::vector<std::string> names;
    const auto add_name = [&](const std::string& name) {
      const std::string& made = switch_of(name);
      if (std::ranges::find(names, made) == names.end()) names.push_back(made);
    };
    for (const Server& server : site_.file_systems[system].servers) add_name(server.at_switch);
    for (const ClientSystem& clients : site_.clients)
      for (const Router& router : clients.routers)
        if (router.leads_to(system)) add_name(router.at_switch);
    return names;
  }

  /// Adds the switches of all file systems, and links the switches of each file system in a chain.
  /// File systems may share switches. A link that would make a second path between two switches is
  /// left out.
  void add_switches() {
    std::vector<std::string> all = lab_.networks;
    std::string links;
    std::map<std::string, std::size_t> island;
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i) {
      std::string before;
      for (const std::string& each : switches_of(i)) {
        if (island.emplace(each, island.size()).second) all.push_back(each);
        if (!before.empty() && island[before] != island[each]) {
          links += fmt::format("    - {{between: [{}, {}]{}}}\n", before, each,
                               rate(site_.file_systems[i].isl_gb_per_s));
          const std::size_t from = island[each], to = island[before];
          for (auto& [name, number] : island)
            if (number == from) number = to;
        }
        before = each;
      }
    }
    add("switches: [{}]\n", fmt::join(all, ", "));
    if (!links.empty()) add("switch links:\n{}", links);
  }

  void add_nets() {
    text_ += "nets:\n";
    for (std::size_t i = 0; i < site_.clients.size(); ++i)
      add("    {}: {{label: {}, switch: {}}}\n", site_.clients[i].net.to_string(),
          site_.clients[i].name, lab_.networks[i]);
    for (const Group& group : plan_.groups)
      add("    {}: {{label: {}}}\n", group.net.to_string(), plan_.name_of(group));
    for (const FileSystem& system : site_.file_systems)
      if (system.among_servers)
        add("    {}: {{label: servers of {}}}\n", system.among_servers->to_string(), system.name);
  }

  void add_text(const std::string& name, const std::string& text) {
    add("    {}: |\n", name);
    for (const auto line : std::views::split(std::string_view(text), '\n'))
      if (!line.empty()) add("        {}\n", std::string_view(line.begin(), line.end()));
  }
  /// The texts that modprobe would get at the site, each with a name that nodes refer to.
  void add_module_parameters() {
    text_ += "module parameters:\n";
    for (std::size_t i = 0; i < site_.clients.size(); ++i) {
      add_text(lab_.clients[i], client_options(plan_, i).text());
      add_text(lab_.router_groups[i], router_options(plan_, i).text());
    }
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i)
      add_text(parameters_of_servers(i), server_options(plan_, i).text());
  }
  static std::string parameters_of_servers(std::size_t system) {
    return fmt::format("servers-{}", system + 1);
  }

  void add_clients(std::size_t system) {
    const std::string rest =
        fmt::format("group: {}{}", lab_.clients[system], started_from(lab_.clients[system]));
    const std::string net = site_.clients[system].net.to_string();
    if (!addresses_)
      return add("    {}[1-{}]: {{nets: {}, {}}}\n", lab_.clients[system], clients_of_each_, net,
                 rest);
    for (std::uint32_t i = 0; i < clients_of_each_; ++i)
      add("    {}[{}]: {{nets: {{net: {}{}}}, {}}}\n", lab_.clients[system], i + 1, net,
          at((*addresses_)[system][i]), rest);
  }

  std::string nets_of_router(std::size_t client, std::size_t number) const {
    const ClientSystem& clients = site_.clients[client];
    const Router& router = clients.routers[number];
    std::string nets = fmt::format("{{net: {}{}{}}}", clients.net.to_string(),
                                   rate(clients.router_gb_per_s), at(router.client_nid.address4()));
    const std::vector<std::string> fabrics = fabrics_of(client, number);
    if (fabrics.empty()) return nets;
    const double share = clients.router_gb_per_s / static_cast<double>(router.addresses.size());
    for (const Address address : router.addresses)
      nets += fmt::format(", {{net: [{}], switch: {}{}{}}}", fmt::join(fabrics, ", "),
                          switch_of(router.at_switch), rate(share), at(address));
    return nets;
  }
  /// Returns the nets of all groups that a router leads to.
  std::vector<std::string> fabrics_of(std::size_t client, std::size_t number) const {
    std::vector<std::string> nets;
    for (const Group& group : plan_.groups)
      for (const int hops : kHops)
        if (group.routers[client].has(hops, number)) nets.push_back(group.net.to_string());
    return nets;
  }

  void add_nodes() {
    text_ += "nodes:\n";
    for (std::size_t i = 0; i < site_.clients.size(); ++i) {
      add_clients(i);
      const auto& routers = site_.clients[i].routers;
      for (std::size_t k = 0; k < routers.size(); ++k)
        add("    {}: {{nets: [{}], routing: yes, group: {}{}}}\n", host(routers[k].host),
            nets_of_router(i, k), lab_.router_groups[i], started_from(lab_.router_groups[i]));
    }
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
      const FileSystem& system = site_.file_systems[plan_.groups[i].file_system];
      std::vector<std::string> nets = {plan_.groups[i].net.to_string()};
      if (system.among_servers) nets.push_back(system.among_servers->to_string());
      for (const std::size_t each : plan_.groups[i].servers) {
        const Server& server = system.servers[each];
        add("    {}: {{nets: {{net: [{}], switch: {}{}{}}}, group: {}{}}}\n", host(server.host),
            fmt::join(nets, ", "), switch_of(server.at_switch),
            server.metadata() ? "" : rate(system.oss_gb_per_s), at(server.address),
            lab_.server_groups[i],
            started_from(parameters_of_servers(plan_.groups[i].file_system)));
      }
    }
  }

  /// Returns the gateways as servers use them: each of a router's interfaces on the group's net.
  std::string via_from_servers(std::size_t client, std::size_t number, NetId net) const {
    const Router& router = site_.clients[client].routers[number];
    if (router.addresses.size() == 1) return host(router.host);
    const std::vector<std::string> fabrics = fabrics_of(client, number);
    const auto place = std::ranges::find(fabrics, net.to_string()) - fabrics.begin();
    std::vector<std::string> rails;  // after the rail on the clients' net
    for (std::size_t i = 0; i < router.addresses.size(); ++i)
      rails.push_back(fmt::format("\"{}:{}\"", host(router.host),
                                  1 + i * fabrics.size() + static_cast<std::size_t>(place)));
    return fmt::format("{}", fmt::join(rails, ", "));
  }

  /// Adds the routes. Routers also have routes to the groups of other routers, as clients do.
  void add_routes() {
    text_ += "routes:\n";
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
      const Group& group = plan_.groups[i];
      for (std::size_t client = 0; client < site_.clients.size(); ++client)
        for (const int hops : kHops) {
          std::vector<std::string> routers, from_servers;
          for (const std::size_t each : group.routers[client].of(hops)) {
            routers.push_back(host(site_.clients[client].routers[each].host));
            from_servers.push_back(via_from_servers(client, each, group.net));
          }
          if (routers.empty()) continue;
          add("    - {{on: [{}, {}], net: {}, via: [{}], hops: {}}}\n", lab_.clients[client],
              lab_.router_groups[client], group.net.to_string(), fmt::join(routers, ", "), hops);
          add("    - {{on: {}, net: {}, via: [{}], hops: {}}}\n", lab_.server_groups[i],
              site_.clients[client].net.to_string(), fmt::join(from_servers, ", "), hops);
        }
    }
  }

  const LabPlan lab_;
  const Plan& plan_;
  const Site& site_;
  const std::uint32_t clients_of_each_, scale_;
  const std::optional<ClientAddresses> addresses_;
  std::string text_;
};

}  // namespace

std::uint32_t lab_scale(const Plan& plan) {
  constexpr double kMax = 0.2;  // GB/s
  double most = 0;
  for (const FileSystem& system : plan.site.file_systems)
    most += static_cast<double>(std::ranges::count(system.servers, false, &Server::metadata)) *
            system.oss_gb_per_s;
  for (const ClientSystem& clients : plan.site.clients)
    most = std::max(most, clients.router_gb_per_s);
  constexpr std::uint32_t kMaxScale = 1'000'000;
  for (std::uint32_t decade = 1; decade < kMaxScale; decade *= 10)
    for (const std::uint32_t step : {1U, 2U, 5U})
      if (most / (decade * step) <= kMax * (1 + kRounding)) return decade * step;
  return kMaxScale;
}

std::string lab_topology(const Plan& plan, const LabOptions& options) {
  return Lab(plan, lab_plan(plan), options, std::nullopt).text();
}

Result<std::string> lab_topology_of_module_parameters(const Plan& plan, const LabOptions& options) {
  LabPlan lab = lab_plan(plan);
  auto addresses = give_addresses(lab, plan, options.clients_of_each);
  if (!addresses) return tl::unexpected(addresses.error());
  return Lab(plan, std::move(lab), options, std::move(*addresses)).text();
}

}  // namespace ulnet::plan
