#include "fgr/log/log_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "fgr/log/clusters.h"

namespace ulnet::plan {
namespace {

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : ", ") + second;
}
std::string switch_words(const std::string& at) { return at.empty() ? "" : "switch " + at; }

/// Sorts the most mentioned first; equal ones stay in their order.
template <class Row, class Weight>
void put_heaviest_first(std::vector<Row>& rows, Weight&& weight) {
  std::multimap<std::uint64_t, Row, std::greater<>> sorted;
  for (Row& row : rows) sorted.emplace(weight(row), std::move(row));
  rows.clear();
  for (auto& [heavy, row] : sorted) rows.push_back(std::move(row));
}

/// Sets of hosts are numbered: groups, then switches, then file systems.
class Explaining {
 public:
  Explaining(const Plan& plan, LogCounts counts) : plan_(plan), owners_(plan) {
    out_.counts = std::move(counts);
    out_.only_troubled = out_.counts.troubled > 0;
  }

  LogExplanation run(std::size_t most_suspects) {
    find_groups();
    add_hosts();
    add_groups();
    for (const NidCount& count : out_.counts.nids) take(count);
    expect_groups();
    const std::size_t sets = plan_.groups.size() + switches_.size() + file_systems();
    std::vector<HostCount> weights;
    for (const Weighed& one : weighed_) weights.push_back(one.weight);
    for (const Cluster& cluster : clusters_of(counted_, std::move(weights), sets, most_suspects))
      out_.suspects.push_back(suspect_of(cluster));
    put_in_order();
    return std::move(out_);
  }

 private:
  using Kind = HostConfig::Kind;
  using HostKey = std::tuple<Kind, std::size_t, std::size_t>;
  struct Weighed {
    HostCount weight;
    NidCount nid;
  };

  std::size_t file_systems() const { return plan_.site.file_systems.size(); }
  const Server& server(std::size_t system, std::size_t number) const {
    return plan_.site.file_systems[system].servers[number];
  }
  const Router& router(std::size_t system, std::size_t number) const {
    return plan_.site.clients[system].routers[number];
  }

  /// Finds the group of each host. A router that is primary router of several groups is assigned to
  /// the last one, because group 000 comes first.
  void find_groups() {
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) {
      const Group& group = plan_.groups[i];
      for (const std::size_t each : group.servers)
        group_numbers_[{Kind::kServer, group.file_system, each}] = i;
      for (std::size_t client = 0; client < group.routers.size(); ++client)
        for (const std::size_t each : group.routers[client].primary)
          group_numbers_[{Kind::kRouter, client, each}] = i;
    }
  }

  void add_hosts() {
    for (std::size_t i = 0; i < file_systems(); ++i)
      for (std::size_t k = 0; k < plan_.site.file_systems[i].servers.size(); ++k) {
        const Server& each = server(i, k);
        add_host({Kind::kServer, i, k}, each.host,
                 joined(each.rack.empty() ? "" : "rack " + each.rack, switch_words(each.at_switch)),
                 each.at_switch, {i}, 0);
      }
    for (std::size_t i = 0; i < plan_.site.clients.size(); ++i)
      for (std::size_t k = 0; k < plan_.site.clients[i].routers.size(); ++k) {
        const Router& each = router(i, k);
        add_host({Kind::kRouter, i, k}, each.host,
                 joined(each.physical, switch_words(each.at_switch)), each.at_switch,
                 each.file_systems, 1 + i);
      }
    // Each file system has a set of hosts. The numbers of these sets follow those of the groups'
    // and the switches' sets. The switches are counted only when all hosts have been added.
    for (std::size_t i = 0; i < counted_.size(); ++i)
      for (const std::size_t system : file_systems_of_[i])
        counted_[i].sets.push_back(plan_.groups.size() + switches_.size() + system);
  }

  void add_host(const HostKey& key, const std::string& name, std::string where,
                const std::string& at_switch, std::vector<std::size_t> file_systems,
                std::size_t role) {
    hosts_.emplace(key, out_.hosts.size());
    MentionedHost host{.kind = std::get<0>(key), .name = name, .where = std::move(where)};
    CountedHost counted{.role = role, .sets = {}};
    if (const auto found = group_numbers_.find(key); found != group_numbers_.end()) {
      host.group = found->second;
      counted.sets.push_back(found->second);
    }
    if (!at_switch.empty()) {
      const auto [at, fresh] = switch_numbers_.emplace(at_switch, switches_.size());
      if (fresh) switches_.push_back(at_switch);
      counted.sets.push_back(plan_.groups.size() + at->second);
    }
    out_.hosts.push_back(std::move(host));
    counted_.push_back(std::move(counted));
    file_systems_of_.push_back(std::move(file_systems));
  }

  void add_groups() {
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) out_.groups.push_back({.group = i});
    for (std::size_t i = 0; i < plan_.site.clients.size(); ++i)
      out_.clients.push_back({.system = i});
  }

  void take(const NidCount& count) {
    const NidOwner owner = owners_.of(count.nid);
    if (!owner.kind) {
      out_.unknown.push_back(count);
      if (owner.group) out_.groups[*owner.group].mentions.add(count);
      return;
    }
    if (owner.kind == Kind::kClients) return take_client(owner.system, count);
    if (owner.stray) out_.strays.push_back(count);
    const std::size_t number = hosts_.at({*owner.kind, owner.system, owner.number});
    MentionedHost& host = out_.hosts[number];
    host.mentions.add(count);
    host.nids.push_back(count);
    const auto group = owner.group ? owner.group : host.group;
    if (group) out_.groups[*group].mentions.add(count);
    std::vector<std::size_t> sets = counted_[number].sets;
    std::erase_if(sets, [&](std::size_t set) { return set < plan_.groups.size(); });
    if (group) sets.push_back(*group);
    weighed_.push_back({{number, std::move(sets), out_.weight(count)}, count});
  }

  void take_client(std::size_t system, const NidCount& count) {
    MentionedClients& clients = out_.clients[system];
    ++clients.nids;
    clients.mentions.add(count);
    weighed_.push_back({{out_.hosts.size(), {}, out_.weight(count)}, count});
    counted_.push_back({1 + plan_.site.clients.size() + system, {}});
    MentionedHost host{.kind = Kind::kClients,
                       .name = count.nid.to_string(),
                       .where = "a client of " + plan_.site.clients[system].name};
    host.mentions.add(count);
    host.nids.push_back(count);
    out_.hosts.push_back(std::move(host));
  }

  /// Computes the expected mentions of groups, as clusters_of() does with all counts.
  void expect_groups() {
    std::map<std::size_t, std::pair<double, double>> roles;  // members, and their weight
    for (const CountedHost& host : counted_) ++roles[host.role].first;
    for (const Weighed& one : weighed_)
      roles[counted_[one.weight.host].role].second += static_cast<double>(one.weight.count);
    for (std::size_t i = 0; i < counted_.size(); ++i)
      if (out_.hosts[i].group) {
        const auto& [members, weight] = roles[counted_[i].role];
        out_.groups[*out_.hosts[i].group].expected += weight / members;
      }
  }

  Suspect suspect_of(const Cluster& cluster) {
    Suspect suspect{.mentions = cluster.count, .of = cluster.of, .expected = cluster.expected};
    if (cluster.one_host)
      name_host(suspect, cluster.which);
    else
      name_set(suspect, cluster.which);
    std::map<std::size_t, std::uint64_t> by_host;
    for (const Weighed& one : take_away(cluster)) {
      by_host[one.weight.host] += one.weight.count;
      suspect.what.add(one.nid);
    }
    for (const auto& [host, weight] : by_host)
      if (!cluster.one_host && weight > 0)
        suspect.hosts.emplace_back(out_.hosts[host].name, weight);
    put_heaviest_first(suspect.hosts, [](const auto& each) { return each.second; });
    return suspect;
  }

  /// Removes the mentions that a cluster counts, and all others of its hosts, as clusters_of() did
  /// before it looked for the next one. Returns those that the cluster counts.
  std::vector<Weighed> take_away(const Cluster& cluster) {
    const auto among = [&](const std::vector<std::size_t>& sets) {
      return std::ranges::find(sets, cluster.which) != sets.end();
    };
    std::vector<Weighed> taken;
    std::erase_if(weighed_, [&](const Weighed& one) {
      const bool counts =
          cluster.one_host ? one.weight.host == cluster.which : among(one.weight.sets);
      if (counts) taken.push_back(one);
      return counts || (!cluster.one_host && among(counted_[one.weight.host].sets));
    });
    return taken;
  }

  void name_host(Suspect& suspect, std::size_t number) const {
    const MentionedHost& host = out_.hosts[number];
    suspect.name = host.name;
    suspect.where = host.where;
    if (host.group)
      suspect.where = joined(suspect.where, "group " + plan_.name_of(plan_.groups[*host.group]));
    if (host.kind == Kind::kClients) {
      suspect.kind = Suspect::Kind::kClient;
      suspect.look = "this client: it alone stands out from the others of its system";
    } else if (host.kind == Kind::kServer) {
      suspect.kind = Suspect::Kind::kServer;
      suspect.look = "the server, its cable and its port; its group's other servers are better off";
    } else {
      suspect.kind = Suspect::Kind::kRouter;
      suspect.look = look_at_router(host);
    }
  }

  std::string look_at_router(const MentionedHost& host) const {
    std::uint64_t sides[2] = {0, 0};  // mentions on the clients' net, on the servers' fabric
    for (const NidCount& count : host.nids)
      sides[owners_.of(count.nid).group.has_value()] += out_.weight(count);
    if (sides[0] == 0)
      return "its cable and port on the servers' fabric: only NIDs there are named";
    if (sides[1] == 0) return "the node, and its side to the clients: only its NID there is named";
    return "the node itself: its NIDs on both sides are named";
  }

  void name_set(Suspect& suspect, std::size_t set) const {
    if (set < plan_.groups.size()) {
      const Group& group = plan_.groups[set];
      suspect.kind = Suspect::Kind::kGroup;
      suspect.name = "group " + plan_.name_of(plan_.groups[set]);
      suspect.where = joined("net " + group.net.to_string(), switch_words(group.at_switch));
      suspect.look = "what its hosts share: " + routers_of_group(group);
      return;
    }
    set -= plan_.groups.size();
    if (set < switches_.size()) {
      suspect.kind = Suspect::Kind::kSwitch;
      suspect.name = "switch " + switches_[set];
      suspect.look = "the switch, its power and its links to other switches";
      return;
    }
    suspect.kind = Suspect::Kind::kFileSystem;
    suspect.name = "file system " + plan_.site.file_systems[set - switches_.size()].name;
    suspect.look = "what all its servers and routers share: the fabric, the MGS and the MDS";
  }

  std::string routers_of_group(const Group& group) const {
    constexpr std::size_t kNamed = 8;
    std::vector<std::string> names;
    for (std::size_t client = 0; client < group.routers.size(); ++client)
      for (const std::size_t each : group.routers[client].primary)
        names.push_back(router(client, each).host);
    const std::size_t more = names.size() - std::min(names.size(), kNamed);
    names.resize(names.size() - more);
    return fmt::format("routers {}{}, and the routes to {}", fmt::join(names, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more), group.net.to_string());
  }

  void put_in_order() {
    const auto weight_of_row = [&](const auto& row) { return out_.weight(row.mentions); };
    const auto weight = [&](const NidCount& count) { return out_.weight(count); };
    const auto silent = [](const auto& row) { return row.mentions.all == 0; };
    std::erase_if(out_.groups, silent);
    std::erase_if(out_.hosts, silent);
    std::erase_if(out_.clients, silent);
    put_heaviest_first(out_.groups, weight_of_row);
    put_heaviest_first(out_.hosts, weight_of_row);
    put_heaviest_first(out_.clients, weight_of_row);
    put_heaviest_first(out_.strays, weight);
    put_heaviest_first(out_.unknown, weight);
  }

  const Plan& plan_;
  const NidOwners owners_;
  LogExplanation out_;
  std::map<HostKey, std::size_t> group_numbers_, hosts_;
  std::map<std::string, std::size_t> switch_numbers_;
  std::vector<std::string> switches_;
  // Indexed like out_.hosts, whose order changes only at the end.
  std::vector<CountedHost> counted_;
  std::vector<std::vector<std::size_t>> file_systems_of_;
  std::vector<Weighed> weighed_;
};

}  // namespace

LogExplanation explain_log(const Plan& plan, LogCounts counts, std::size_t most_suspects) {
  return Explaining(plan, std::move(counts)).run(most_suspects);
}

}  // namespace ulnet::plan
