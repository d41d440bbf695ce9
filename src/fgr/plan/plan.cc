#include "fgr/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fgr/plan/bandwidth.h"
#include "fgr/plan/kinds.h"
#include "fgr/plan/planned.h"
#include "fgr/plan/switches.h"

namespace ulnet::plan {
namespace {

std::string place_of(const FileSystem& system, std::uint32_t suffix) {
  return fmt::format("{}, group {:03}", system.name, suffix);
}

/// Groups the OSSs of `servers` by `name(server)`. The groups are in the order in which the servers
/// first have these names.
template <class Name>
std::vector<std::vector<std::size_t>> osss_by(const std::vector<Server>& servers, Name&& name) {
  std::vector<std::vector<std::size_t>> osss;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto [at, fresh] = places.emplace(name(servers[i]), osss.size());
    if (fresh) osss.emplace_back();
    if (!servers[i].metadata()) osss[at->second].push_back(i);
  }
  return osss;
}

class Planning {
 public:
  explicit Planning(Site site) { plan_.site = std::move(site); }

  tl::expected<Plan, std::vector<Finding>> run() {
    problems_ = settle_switches(plan_.site);
    // Groups follow from switches, so wrong switches could cause further problems.
    if (!problems_.empty()) return tl::unexpected(std::move(problems_));
    for (std::size_t i = 0; i < plan_.site.file_systems.size(); ++i) {
      const FileSystem& system = plan_.site.file_systems[i];
      const std::size_t first = plan_.groups.size();
      if (system.flat())
        make_flat(i);
      else
        make_groups(i);
      if (!system.flat() && system.osss_per_group == 0) continue;  // there are no groups
      for (std::size_t client = 0; client < plan_.site.clients.size(); ++client) {
        if (system.flat())
          plan_.groups[first].routers[client].primary = routers_of(client, i);
        else
          assign_routers(client, i, first);
      }
    }
    look_at_nets_among_servers();
    if (problems_.empty()) return std::move(plan_);
    return tl::unexpected(std::move(problems_));
  }

 private:
  using AtSwitch = std::map<std::string, std::vector<std::size_t>>;

  Finding& problem(Rule rule, const std::string& subject, std::string where, std::string what) {
    return problems_.emplace_back(make_finding(rule, std::move(where), subject, std::move(what)));
  }

  Group& add_group(std::size_t number, std::uint32_t suffix) {
    const FileSystem& system = plan_.site.file_systems[number];
    Group group{.file_system = number, .suffix = suffix, .net = system.base};
    const std::uint32_t net = system.base.num + suffix;
    if (net > 0xffff && beyond_.insert(number).second)  // one per file system is enough
      problem(Rule::kNetNumber, system.name, place_of(system, suffix),
              fmt::format("its net would have the number {}, and 65535 is the largest", net));
    group.net.num = static_cast<std::uint16_t>(net);
    group.routers.resize(plan_.site.clients.size());
    return plan_.groups.emplace_back(std::move(group));
  }

  void make_flat(std::size_t number) {
    Group& group = add_group(number, 0);
    for (std::size_t i = 0; i < plan_.site.file_systems[number].servers.size(); ++i)
      group.servers.push_back(i);
  }

  /// MGS and MDS form group 000. The OSSs of each side of each rack, or of each switch, are divided
  /// into groups of osss_per_group, in the order of their numbers.
  void make_groups(std::size_t number) {
    const FileSystem& system = plan_.site.file_systems[number];
    const std::size_t first = plan_.groups.size();
    Group& metadata = add_group(number, 0);
    for (std::size_t i = 0; i < system.servers.size(); ++i)
      if (system.servers[i].metadata()) metadata.servers.push_back(i);
    if (metadata.servers.empty())
      problem(Rule::kNoMetadata, system.name, place_of(system, 0),
              "there is neither an MGS nor an MDS");
    if (system.osss_per_group == 0) {
      problem(Rule::kBandwidth, system.name, system.name,
              "a group of its routers carries less than one OSS moves")
          .hint = "Give the groups more routers ('routers per group').";
      return;
    }
    if (system.layout == FileSystem::Layout::kSwitches)
      make_groups_of_switches(number);
    else
      make_groups_of_sides(number);
    std::ranges::sort(plan_.groups.begin() + static_cast<std::ptrdiff_t>(first), plan_.groups.end(),
                      {}, &Group::suffix);
  }

  /// Groups 002, 004, … are on the left, 003, 005, … on the right.
  void make_groups_of_sides(std::size_t number) {
    const auto& servers = plan_.site.file_systems[number].servers;
    for (const Server& server : servers)
      if (!server.metadata()) sides_at_[server.at_switch] |= server.left() ? kLeft : kRight;
    std::uint32_t next_left = 2, next_right = 3;
    for (const auto& osss :
         osss_by(servers, [](const Server& each) -> const std::string& { return each.rack; }))
      for (const bool left : {true, false}) {
        std::uint32_t& next = left ? next_left : next_right;
        std::vector<std::size_t> side;
        for (const std::size_t i : osss)
          if (servers[i].left() == left) side.push_back(i);
        cut_groups(number, std::move(side), [&] { return std::exchange(next, next + 2); });
      }
    sides_at_.clear();
  }

  /// Groups 002, 003, … in the order of the switches.
  void make_groups_of_switches(std::size_t number) {
    std::uint32_t next = 2;
    for (auto& osss :
         osss_by(plan_.site.file_systems[number].servers,
                 [](const Server& each) -> const std::string& { return each.at_switch; }))
      cut_groups(number, std::move(osss), [&] { return next++; });
  }

  /// Makes groups of these OSSs; each takes its suffix from `next`.
  template <class Next>
  void cut_groups(std::size_t number, std::vector<std::size_t> osss, Next&& next) {
    const FileSystem& system = plan_.site.file_systems[number];
    std::ranges::sort(osss, {}, [&](std::size_t i) { return system.servers[i].number; });
    for (std::size_t i = 0; i < osss.size(); i += system.osss_per_group) {
      Group& group = add_group(number, next());
      const std::size_t end = std::min<std::size_t>(i + system.osss_per_group, osss.size());
      group.servers.assign(osss.begin() + static_cast<std::ptrdiff_t>(i),
                           osss.begin() + static_cast<std::ptrdiff_t>(end));
      settle_switch(group);
    }
  }

  /// The group's switch is that of most of its OSSs. An OSS at another switch is reported, and does
  /// not change the group's switch.
  void settle_switch(Group& group) {
    const FileSystem& system = plan_.site.file_systems[group.file_system];
    std::map<std::string_view, std::size_t> counts;
    for (const std::size_t each : group.servers) ++counts[system.servers[each].at_switch];
    const auto first = std::ranges::max_element(group.servers, {}, [&](std::size_t each) {
      return counts[system.servers[each].at_switch];
    });
    group.at_switch = system.servers[*first].at_switch;
    for (const std::size_t each : group.servers)
      if (const Server& server = system.servers[each]; server.at_switch != group.at_switch)
        problem(other_side_at(server) ? Rule::kWrongParity : Rule::kOtherSwitch, server.host,
                place_of(system, group.suffix),
                fmt::format("{} is at switch {}, and {} at switch {}", server.host,
                            server.at_switch, system.servers[*first].host, group.at_switch));
  }

  /// Whether OSSs of the other side are plugged into this server's switch.
  bool other_side_at(const Server& server) const {
    const auto at = sides_at_.find(server.at_switch);
    return at != sides_at_.end() && (at->second & (server.left() ? kRight : kLeft)) != 0;
  }

  std::vector<std::size_t> routers_of(std::size_t client, std::size_t system) const {
    std::vector<std::size_t> routers;
    const auto& all = plan_.site.clients[client].routers;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].leads_to(system)) routers.push_back(i);
    return routers;
  }

  /// Assigns the routers of a client system to the groups of a file system. All routers for
  /// metadata belong to group 000. The others of a switch are assigned to its groups in the order
  /// of the site: each group takes as many as it needs, and the rest is spare.
  void assign_routers(std::size_t client, std::size_t number, std::size_t first) {
    const FileSystem& system = plan_.site.file_systems[number];
    const ClientSystem& clients = plan_.site.clients[client];
    const auto routers = routers_of(client, number);
    if (routers.empty()) return;  // these clients do not use that file system
    AtSwitch left;
    for (const std::size_t router : routers) {
      if (clients.routers[router].carries_metadata())
        plan_.groups[first].routers[client].primary.push_back(router);
      if (clients.routers[router].carries_data())
        left[clients.routers[router].at_switch].push_back(router);
    }
    if (plan_.groups[first].routers[client].primary.empty())
      problem(Rule::kNoRouters, clients.name, place_of(system, 0),
              "no router of " + clients.name + " is for metadata")
          .hint =
          fmt::format("Say 'for: metadata' or 'for: both' of one that leads to {}.", system.name);
    AtSwitch lacking;  // groups that lack routers
    std::set<std::string_view> served;
    for (std::size_t i = first + 1; i < plan_.groups.size(); ++i) {
      served.insert(plan_.groups[i].at_switch);
      if (!deal(plan_.groups[i], client, left[plan_.groups[i].at_switch]))
        lacking[plan_.groups[i].at_switch].push_back(i);
    }
    for (auto& [name, rest] : left)
      if (!served.contains(name))
        report_without_group(clients, number, name, std::exchange(rest, {}));
    for (const auto& [name, groups] : lacking) report_shortage(client, groups, left);
    if (system.secondary_routes) add_secondaries(client, first, left);
  }

  /// Gives the group the first of these routers, as many as it needs. Returns false if there are
  /// too few.
  bool deal(Group& group, std::size_t client, std::vector<std::size_t>& left) const {
    const std::uint32_t wanted = plan_.site.file_systems[group.file_system].routers_per_group_for(
        plan_.site.clients[client]);
    const double peak = plan_.peak_of(group, client);
    double carried = 0;
    auto& own = group.routers[client].primary;
    const auto enough = [&] {
      return wanted != 0 ? own.size() == wanted : carried >= peak - kRounding;
    };
    auto router = left.begin();
    for (; router != left.end() && !enough(); ++router) {
      own.push_back(*router);
      carried += plan_.rate_of(client, *router, group.file_system);
    }
    left.erase(left.begin(), router);
    return enough();
  }

  /// Reports routers at a switch without a group of the file system. A router that also carries
  /// metadata may be there if it serves a group of another file system there.
  void report_without_group(const ClientSystem& clients, std::size_t number,
                            const std::string& name, const std::vector<std::size_t>& routers) {
    for (const std::size_t each : routers) {
      const Router& router = clients.routers[each];
      if (router.carries_metadata() && router.file_systems.size() > 1) continue;
      problem(Rule::kSpareRouter, router.host, clients.name + ", router " + router.host,
              fmt::format("no group of {} is at switch {}", plan_.site.file_systems[number].name,
                          name));
    }
  }

  /// Reports that the groups of a switch lack routers, with the possible remedies.
  void report_shortage(std::size_t client, const std::vector<std::size_t>& lacking,
                       const AtSwitch& left) {
    const Group& first = plan_.groups[lacking.front()];
    const FileSystem& system = plan_.site.file_systems[first.file_system];
    const ClientSystem& clients = plan_.site.clients[client];
    const std::uint32_t wanted = system.routers_per_group_for(clients);
    std::size_t routers = 0, osss = 0, missing = 0;
    double carried = 0, peak = 0;
    std::vector<std::string> suffixes;
    for (const std::size_t i : lacking) {
      const Group& group = plan_.groups[i];
      const std::size_t has = group.routers[client].primary.size();
      const double lacks = std::max(0.0, -plan_.surplus_of(group, client));
      suffixes.push_back(fmt::format("{:03}", group.suffix));
      routers += has;
      osss += plan_.osss_of(group);
      carried += plan_.carried_by(group, client);
      peak += plan_.peak_of(group, client);
      missing += wanted != 0 ? wanted - has : routers_for(1, clients.router_gb_per_s, lacks);
    }
    const std::string rates =
        rates_text(plan_, client, first.file_system, first.at_switch, routers, carried, osss, peak);
    double all_carried = 0, all_peak = 0;
    std::size_t all_osss = 0;
    for (const Group& group : plan_.groups)
      if (group.file_system == first.file_system && group.suffix != 0 &&
          group.at_switch == first.at_switch) {
        all_carried += plan_.carried_by(group, client);
        all_peak += plan_.peak_of(group, client);
        all_osss += plan_.osss_of(group);
      }
    const bool larger = wanted == 0 && all_carried >= all_peak - kRounding;
    std::vector<std::string> spare;
    // If a router may be at the wrong switch, its place in the site file is more useful than that
    // of its client system.
    std::string subject = clients.name;
    for (const auto& [name, rest] : left)
      for (const std::size_t each : rest) {
        const std::string& host = clients.routers[each].host;
        if (spare.empty()) subject = host;
        spare.push_back(fmt::format("{} at switch {}", host, name));
      }
    problem(routers == 0 ? Rule::kNoRouters : Rule::kTooFewRouters, subject,
            lacking.size() == 1 ? place_of(system, first.suffix)
                                : fmt::format("{}, groups {}", system.name, list_of(suffixes)),
            wanted == 0 ? rates
                        : fmt::format("{} of {} routers that 'routers per group' wants: {}",
                                      routers, wanted * lacking.size(), rates))
        .hint = fmt::format(
        "Plug {} more router{} of {} into switch {}{}{}, or {}.", missing, missing == 1 ? "" : "s",
        clients.name, first.at_switch,
        spare.empty() ? "" : fmt::format(" (spare: {})", list_of(spare)),
        larger ? fmt::format(", or make larger groups ('OSSs per group: {}')", all_osss) : "",
        wanted != 0 ? "want fewer ('routers per group')"
                    : "ask for less ('share of clients', or a number of 'routers per group')");
  }

  /// Adds secondary routers. A group gets the routers of the other groups at its switch, which need
  /// no link between switches, and the spare routers at that switch. The metadata group gets all
  /// routers that are not its own already.
  void add_secondaries(std::size_t client, std::size_t first, const AtSwitch& spare) {
    std::map<std::string_view, std::vector<std::size_t>> at_switch;
    std::vector<std::size_t> all;
    for (std::size_t i = first + 1; i < plan_.groups.size(); ++i) {
      at_switch[plan_.groups[i].at_switch].push_back(i);
      all.push_back(i);
    }
    for (std::size_t i = first; i < plan_.groups.size(); ++i) {
      GroupRouters& routers = plan_.groups[i].routers[client];
      const auto add = [&](const std::vector<std::size_t>& more) {
        for (const std::size_t router : more)
          if (!routers.has(1, router)) routers.secondary.push_back(router);
      };
      for (const std::size_t k : i == first ? all : at_switch[plan_.groups[i].at_switch])
        if (k != i) add(plan_.groups[k].routers[client].primary);
      for (const auto& [name, rest] : spare)
        if (i == first || name == plan_.groups[i].at_switch) add(rest);
    }
  }

  /// Reports nets among servers that clients, groups or other file systems also use. Every host
  /// with a NID on such a net counts as a server of the file system.
  void look_at_nets_among_servers() {
    std::map<NetId, std::string> owners;
    for (const ClientSystem& clients : plan_.site.clients)
      owners.emplace(clients.net, "the clients of " + clients.name);
    for (const Group& group : plan_.groups)
      owners.emplace(group.net, place_of(plan_.site.file_systems[group.file_system], group.suffix));
    for (const FileSystem& system : plan_.site.file_systems) {
      if (!system.among_servers) continue;
      const auto [at, fresh] =
          owners.emplace(*system.among_servers, "the servers of " + system.name);
      const std::string where = place_of_net_among_servers(system);
      if (!fresh)
        problem(Rule::kNetsOverlap, where, where,
                fmt::format("{} is already the net of {}", system.among_servers->to_string(),
                            at->second))
            .hint = "Take a net that nobody else has.";
    }
  }

  static constexpr unsigned kLeft = 1, kRight = 2;

  Plan plan_;
  std::vector<Finding> problems_;
  /// file systems with a group whose net would need too large a number
  std::set<std::size_t> beyond_;
  /// For the current file system: the sides whose OSSs are at each switch.
  std::map<std::string_view, unsigned> sides_at_;
};

}  // namespace

std::string Plan::name_of(const Group& group) const {
  return fmt::format("{} {:03}", site.file_systems[group.file_system].name, group.suffix);
}

std::string place_of_net_among_servers(const FileSystem& system) {
  return system.name + ", net among servers";
}

tl::expected<Plan, std::vector<Finding>> make_plan(Site site) {
  return Planning(std::move(site)).run();
}

}  // namespace ulnet::plan
