#include "fgr/plan/lab_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <set>
#include <utility>

#include "fgr/plan/planned.h"
#include "lnet/base/expr_list.h"

namespace ulnet::plan {
namespace {

/// Unique names that a topology allows: those of the site, or as similar as possible.
class LabNames {
 public:
  std::string fresh(const std::string& name, std::size_t longest = kLongestLabName) {
    const std::string plain = plain_of(name);
    std::string made = plain.substr(0, longest);
    for (int i = 2; !used_.insert(made).second; ++i) {
      const std::string end = fmt::format("-{}", i);
      made = plain.substr(0, longest - end.size()) + end;
    }
    return made;
  }

 private:
  static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
  static std::string plain_of(std::string name) {
    for (char& c : name)
      if (!is_plain(c) && c != '-' && c != '_') c = '-';
    if (name.empty() || !is_plain(name.front()) || name == "all") name.insert(0, "n");
    return name;
  }

  std::set<std::string> used_;
};

class Making {
 public:
  explicit Making(const Plan& plan) { lab_.plan = plan; }

  LabPlan made() {
    number_nets();
    name_hosts();
    name_groups();
    name_switches();
    return std::move(lab_);
  }

 private:
  Site& site() { return lab_.plan.site; }

  void number_nets() {
    std::set<std::uint16_t> used;
    const auto take = [&](std::uint16_t number) {
      while (!used.insert(number).second) ++number;
      return NetId{NetType::kTcp, number};
    };
    for (Group& group : lab_.plan.groups) group.net = take(group.net.num);
    for (FileSystem& system : site().file_systems) {
      system.base.type = NetType::kTcp;
      if (system.among_servers) system.among_servers = take(system.among_servers->num);
    }
    for (ClientSystem& clients : site().clients) {
      clients.net = take(0);
      for (Router& router : clients.routers)
        router.client_nid = Nid::small(clients.net, router.client_nid.address4());
    }
  }

  /// Names hosts before clients. The nodes of a client system have its name and a number, so no
  /// host may have such a name.
  void name_hosts() {
    std::set<std::string> stems;  // stems of names that end with a number
    const auto name = [&](const std::string& host) {
      std::string& made = lab_.nodes[host];
      if (made.empty()) made = names_.fresh(host);
      stems.insert(made.substr(0, made.find_last_not_of("0123456789") + 1));
    };
    for (const ClientSystem& clients : site().clients)
      for (const Router& router : clients.routers) name(router.host);
    for (const FileSystem& system : site().file_systems)
      for (const Server& server : system.servers) name(server.host);
    // the longest name without its number
    constexpr std::size_t kLongestStem = kLongestLabName - 4;
    for (const ClientSystem& clients : site().clients) {
      const std::string stem = names_.fresh(clients.name, kLongestStem);
      lab_.clients.push_back(
          stems.contains(stem) ? names_.fresh(clients.name + "-client-", kLongestStem) : stem);
    }
  }

  void name_groups() {
    for (const ClientSystem& clients : site().clients)
      lab_.router_groups.push_back(names_.fresh("routers-" + clients.name));
    for (const Group& group : lab_.plan.groups)
      lab_.server_groups.push_back(names_.fresh(
          fmt::format("{}-{:03}", site().file_systems[group.file_system].name, group.suffix)));
  }

  void name_switches() {
    const auto name = [&](const std::string& at) {
      std::string& made = lab_.switches[at];
      if (made.empty()) made = names_.fresh(at.empty() ? "switch" : at);
    };
    for (const ClientSystem& clients : site().clients) {
      lab_.networks.push_back(names_.fresh("net-of-" + clients.name));
      for (const Router& router : clients.routers) name(router.at_switch);
    }
    for (const FileSystem& system : site().file_systems)
      for (const Server& server : system.servers) name(server.at_switch);
  }

  LabPlan lab_;
  LabNames names_;
};

/// Returns the numbers that a part of a pattern like "10.128.*.[1-5]" matches. "*" in the last part
/// leaves out the addresses of networks and of broadcasts.
std::vector<std::uint32_t> numbers_of(std::string_view part, bool last) {
  constexpr std::uint32_t kMax = 255;
  const auto list = ExprList::parse(part, kMax);
  if (!list) return {};
  if (const auto numbers = list->expand(kMax + 1)) return *numbers;
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = last ? 1 : 0; i <= (last ? kMax - 1 : kMax); ++i) all.push_back(i);
  return all;
}

/// Returns at most `count` addresses that the patterns match and `used` does not contain. Adds them
/// to `used`.
std::vector<Address> addresses_in(const std::string& patterns, std::size_t count,
                                  std::set<Address>& used) {
  std::vector<Address> found;
  const auto take = [&](Address address) {
    if (found.size() < count && used.insert(address).second) found.push_back(address);
    return found.size() < count;
  };
  const auto take_all = [&](const std::vector<std::vector<std::uint32_t>>& parts) {
    for (const std::uint32_t a : parts[0]) {
      // not valid as a host's address, or not on a wire
      if (a == 0 || a == 127 || a >= 224) continue;
      for (const std::uint32_t b : parts[1])
        for (const std::uint32_t c : parts[2])
          for (const std::uint32_t d : parts[3])
            if (!take(a << 24 | b << 16 | c << 8 | d)) return;
    }
  };
  for (const auto word : std::views::split(patterns, ' ')) {
    std::vector<std::vector<std::uint32_t>> parts;
    for (const auto part : std::views::split(word, '.'))
      parts.push_back(numbers_of(std::string_view(part.begin(), part.end()), parts.size() == 3));
    if (parts.size() == 4) take_all(parts);
  }
  return found;
}

bool has_numbers(const ClientSystem& clients) { return is_numbered(clients.net); }

std::set<Address> addresses_of(const Site& site) {
  std::set<Address> used;
  for (const ClientSystem& clients : site.clients)
    for (const Router& router : clients.routers) {
      used.insert(router.addresses.begin(), router.addresses.end());
      if (!has_numbers(clients)) used.insert(router.client_nid.address4());
    }
  for (const FileSystem& system : site.file_systems)
    for (const Server& server : system.servers) used.insert(server.address);
  return used;
}

}  // namespace

LabPlan lab_plan(const Plan& plan) { return Making(plan).made(); }

Result<std::vector<std::vector<Address>>> give_addresses(LabPlan& lab, const Plan& site,
                                                         std::uint32_t clients_of_each) {
  std::set<Address> used = addresses_of(site.site);
  std::vector<std::vector<Address>> given;
  for (std::size_t i = 0; i < lab.plan.site.clients.size(); ++i) {
    ClientSystem& clients = lab.plan.site.clients[i];
    const std::size_t routers = has_numbers(site.site.clients[i]) ? clients.routers.size() : 0;
    auto addresses = addresses_in(clients.addresses, clients_of_each + routers, used);
    if (addresses.size() < clients_of_each + routers)
      return fail(-ENOSPC, fmt::format("{}: its addresses {} are too few for {} clients{} of a "
                                       "laboratory",
                                       clients.name, clients.addresses, clients_of_each,
                                       routers > 0 ? fmt::format(" and {} routers", routers) : ""));
    for (std::size_t k = 0; k < routers; ++k)
      clients.routers[k].client_nid = Nid::small(clients.net, addresses[clients_of_each + k]);
    addresses.resize(clients_of_each);
    given.push_back(std::move(addresses));
  }
  return given;
}

}  // namespace ulnet::plan
