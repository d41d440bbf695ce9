#include "plan/lab_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ulnet::plan {
namespace {

/// The longest name in a topology. Source: docs/LAB.md, "Topology files".
constexpr std::size_t kLongestLabName = 32;

/// Names as a topology may have them, each once: those of the site, or as like them as can be.
class LabNames {
 public:
  /// The same name of the same kind of thing is always called the same.
  std::string of(char kind, const std::string& name, std::size_t longest = kLongestLabName) {
    auto& made = made_[{kind, name}];
    if (made.empty()) made = fresh(plain(name), longest);
    return made;
  }

 private:
  static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
  static std::string plain(std::string name) {
    for (char& c : name)
      if (!is_plain(c) && c != '-' && c != '_') c = '-';
    if (name.empty() || !is_plain(name.front()) || name == "all") name.insert(0, "n");
    return name;
  }
  std::string fresh(const std::string& name, std::size_t longest) {
    std::string made = name.substr(0, longest);
    for (int i = 2; !used_.insert(made).second; ++i) {
      const std::string end = fmt::format("-{}", i);
      made = name.substr(0, longest - end.size()) + end;
    }
    return made;
  }

  std::map<std::pair<char, std::string>, std::string> made_;
  std::set<std::string> used_;
};

class Lab {
 public:
  Lab(const Plan& plan, std::uint32_t clients_of_each)
      : plan_(plan), site_(plan.site), clients_of_each_(clients_of_each) {
    number_nets();
    name_hosts();
  }

  std::string text() {
    add_switches();
    add_nets();
    add_nodes();
    add_routes();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  /// Groups, and then nets among servers, have the numbers of the plan, but for two that have the
  /// same on nets of several types; clients those that are left.
  void number_nets() {
    std::set<std::uint32_t> used;
    const auto take = [&](std::uint32_t number) {
      while (!used.insert(number).second) number = (number + 1) % 0x10000;
      return number == 0 ? std::string("tcp") : fmt::format("tcp{}", number);
    };
    for (const Group& group : plan_.groups) group_nets_.push_back(take(group.net.num));
    for (const FileSystem& system : site_.file_systems)
      among_.push_back(system.among_servers ? take(system.among_servers->num) : "");
    for (std::size_t i = 0; i < site_.clients.size(); ++i) client_nets_.push_back(take(0));
  }

  /// Hosts before clients: a system's nodes have its name and a number.
  void name_hosts() {
    std::set<std::string> stems;  // of names that end with a number
    const auto name = [&](const std::string& host) {
      const std::string made = names_.of('h', host);
      stems.insert(made.substr(0, made.find_last_not_of("0123456789") + 1));
    };
    for (const ClientSystem& clients : site_.clients)
      for (const Router& router : clients.routers) name(router.host);
    for (const FileSystem& system : site_.file_systems)
      for (const Server& server : system.servers) name(server.host);
    constexpr std::size_t kDigits = 4;
    for (const ClientSystem& clients : site_.clients) {
      const std::string stem = names_.of('c', clients.name, kLongestLabName - kDigits);
      client_names_.push_back(stems.contains(stem) ? names_.of('c', clients.name + "-client-",
                                                               kLongestLabName - kDigits)
                                                   : stem);
    }
  }
  std::string host(const std::string& name) { return names_.of('h', name); }
  std::string switch_of(const std::string& name) {
    return names_.of('s', name.empty() ? "switch" : name);
  }
  std::string switch_of(const ClientSystem& clients) {
    return names_.of('n', "net-of-" + clients.name);
  }
  const FileSystem& system_of(const Group& group) const {
    return site_.file_systems[group.file_system];
  }

  /// The switches of a file system, and of the routers that lead to it, in their first order.
  std::vector<std::string> switches_of(std::size_t system) {
    std::vector<std::string> names;
    const auto add_name = [&](const std::string& name) {
      const std::string made = switch_of(name);
      if (std::ranges::find(names, made) == names.end()) names.push_back(made);
    };
    for (const Server& server : site_.file_systems[system].servers) add_name(server.at_switch);
    for (const ClientSystem& clients : site_.clients)
      for (const Router& router : clients.routers)
        if (router.leads_to(system)) add_name(router.at_switch);
    return names;
  }

  /// A switch may be one of several file systems; between two switches there is one way.
  void add_switches() {
    std::vector<std::string> all;
    std::string links;
    for (const ClientSystem& clients : site_.clients) all.push_back(switch_of(clients));
    std::map<std::string, std::size_t> island;
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i) {
      std::string before;
      for (const std::string& each : switches_of(i)) {
        if (island.emplace(each, island.size()).second) all.push_back(each);
        if (!before.empty() && island[before] != island[each]) {
          links += fmt::format("    - {{between: [{}, {}]}}\n", before, each);
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
      add("    {}: {{label: {}, switch: {}}}\n", client_nets_[i], site_.clients[i].name,
          switch_of(site_.clients[i]));
    for (std::size_t i = 0; i < plan_.groups.size(); ++i)
      add("    {}: {{label: {} {:03}}}\n", group_nets_[i], system_of(plan_.groups[i]).name,
          plan_.groups[i].suffix);
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i)
      if (!among_[i].empty())
        add("    {}: {{label: servers of {}}}\n", among_[i], site_.file_systems[i].name);
  }

  /// The nets of a router: its clients', and those of all groups to which it leads.
  std::string nets_of(std::size_t client, std::size_t number) {
    std::string nets = client_nets_[client];
    for (std::size_t i = 0; i < plan_.groups.size(); ++i)
      for (const int hops : kHops)
        if (plan_.groups[i].routers[client].has(hops, number))
          nets += fmt::format(", {{net: {}, switch: {}}}", group_nets_[i],
                              switch_of(site_.clients[client].routers[number].at_switch));
    return nets;
  }

  void add_nodes() {
    text_ += "nodes:\n";
    for (std::size_t i = 0; i < site_.clients.size(); ++i) {
      add("    {}[1-{}]: {{nets: {}}}\n", client_names_[i], clients_of_each_, client_nets_[i]);
      const auto& routers = site_.clients[i].routers;
      for (std::size_t k = 0; k < routers.size(); ++k)
        add("    {}: {{nets: [{}], routing: yes}}\n", host(routers[k].host), nets_of(i, k));
    }
    for (std::size_t i = 0; i < plan_.groups.size(); ++i)
      for (const std::size_t each : plan_.groups[i].servers) {
        const Server& server = system_of(plan_.groups[i]).servers[each];
        const std::string at = switch_of(server.at_switch);
        std::string nets = fmt::format("{{net: {}, switch: {}}}", group_nets_[i], at);
        if (const std::string& among = among_[plan_.groups[i].file_system]; !among.empty())
          nets = fmt::format("[{}, {{net: {}, switch: {}}}]", nets, among, at);
        add("    {}: {{nets: {}}}\n", host(server.host), nets);
      }
  }

  void add_routes() {
    text_ += "routes:\n";
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
      const Group& group = plan_.groups[i];
      std::vector<std::string> servers;
      for (const std::size_t each : group.servers)
        servers.push_back(host(system_of(group).servers[each].host));
      for (std::size_t client = 0; client < site_.clients.size(); ++client)
        for (const int hops : kHops) {
          std::vector<std::string> routers;
          for (const std::size_t each : group.routers[client].of(hops))
            routers.push_back(host(site_.clients[client].routers[each].host));
          if (routers.empty()) continue;
          const std::string via =
              fmt::format("via: [{}], hops: {}", fmt::join(routers, ", "), hops);
          add("    - {{on: {}, net: {}, {}}}\n", client_names_[client], group_nets_[i], via);
          add("    - {{on: [{}], net: {}, {}}}\n", fmt::join(servers, ", "), client_nets_[client],
              via);
        }
    }
  }

  const Plan& plan_;
  const Site& site_;
  const std::uint32_t clients_of_each_;
  LabNames names_;
  std::vector<std::string> group_nets_, client_nets_, client_names_;
  std::vector<std::string> among_;  ///< nets among servers by file system; empty: there is none
  std::string text_;
};

}  // namespace

std::string lab_topology(const Plan& plan, std::uint32_t clients_of_each) {
  return Lab(plan, clients_of_each).text();
}

}  // namespace ulnet::plan
