#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fgr/check/check_parts.h"

namespace ulnet::plan {
namespace {

/// Returns the suffix of the host's group in this file system: of a server's group, or of a group
/// whose primary router the host is. 0: the host has no such group, or only the metadata group.
std::uint32_t suffix_of(const Planned& planned, const PlannedHost& host, std::size_t file_system) {
  for (const auto& [net, interface] : host.nets) {
    const Group* const group = planned.group_of(net);
    if (group == nullptr || group->suffix == 0 || group->file_system != file_system) continue;
    if (!host.router() || group->routers[host.config.system].has(1, host.config.number))
      return group->suffix;
  }
  return 0;
}

class NetsCheck {
 public:
  NetsCheck(const Planned& planned, const Actual& file, Difference& difference,
            std::vector<Finding>& out)
      : planned_(planned), file_(file), difference_(difference), out_(out) {}

  void run() {
    for (const ForeignNid& foreign : difference_.foreign_nids) report(foreign);
    std::map<std::size_t, std::vector<NetDifference>> by_rule;
    for (const NetDifference& net : difference_.unplanned_nets) by_rule[*net.at].push_back(net);
    for (std::size_t at = 0; at < file_.nets.size(); ++at) {
      const auto hosts = by_rule.find(at);
      report_rule(at, hosts == by_rule.end() ? std::vector<NetDifference>{} : hosts->second);
    }
    report_missing();
  }

 private:
  Finding& add(Rule rule, conf::Place place, std::string what) {
    return add_finding(out_, file_, rule, place, std::move(what));
  }

  void report(const ForeignNid& foreign) {
    report_owner(foreign);
    // The foreign NID replaces the host's own NID, so the check does not also report that the
    // host's net is missing.
    const PlannedHost& host = planned_.host(foreign.host);
    const bool own_there = std::ranges::any_of(file_.nets, [&](const ActualNet& net) {
      return std::ranges::any_of(net.nids, [&](const Nid& nid) {
        return planned_.owner(nid) == foreign.host && planned_.on_fabric(nid.net());
      });
    });
    std::erase_if(difference_.missing_nets, [&](const NetDifference& missing) {
      if (missing.host != foreign.host) return false;
      return missing.net == foreign.nid.net() ||
             (!own_there && planned_.on_fabric(missing.net) &&
              (!host.router() || planned_.group_of(foreign.nid.net())));
    });
  }

  /// If a server has a foreign address on both of its nets, this reports it once.
  void report_owner(const ForeignNid& foreign) {
    const bool server = planned_.host(foreign.host).config.kind == HostConfig::Kind::kServer;
    if (server && foreign.nid.is_small() && planned_.on_fabric(foreign.nid.net()) &&
        !reported_addresses_.emplace(foreign.host, foreign.nid.address4()).second)
      return;
    const conf::Place place = file_.nets[foreign.at].place;
    const auto owner = planned_.owner(foreign.nid.address4());
    const std::string who = words_for(planned_, foreign.host);
    if (foreign.nid.is_small() && owner && *owner != foreign.host)
      add(Rule::kDuplicateAddress, place,
          fmt::format("{} has {}, which is the address of {}", who, foreign.nid.to_string(),
                      words_for(planned_, *owner)))
          .hint = "Give the host its own address, or exchange the files if they are exchanged.";
    else
      add(Rule::kUnknownNid, place,
          fmt::format("{} has {}, and the site knows no host with this address", who,
                      foreign.nid.to_string()));
  }

  /// Returns the hosts that the file is not for, and whose addresses match the file's pattern but
  /// no pattern of the plan.
  std::vector<std::string> outsiders(const ActualNet& net) const {
    std::vector<std::string> names;
    if (!file_.shared || net.patterns.empty()) return names;
    const std::set<std::size_t> own(file_.hosts.begin(), file_.hosts.end());
    std::vector<const wire::AddressPattern*> planned_patterns;
    for (const std::size_t number : file_.hosts) {
      const PlannedHost& host = planned_.host(number);
      for (const auto& [on, interface] : host.nets)
        if (on == net.net && !host.interfaces[interface].address)
          planned_patterns.push_back(&host.interfaces[interface].pattern);
      if (!planned_patterns.empty()) break;  // hosts of a kind share the pattern
    }
    for (std::size_t i = 0; i < planned_.hosts().size(); ++i) {
      const PlannedHost& host = planned_.host(i);
      if (host.clients() || own.contains(i) || host.has(net.net)) continue;
      for (const PlannedInterface& interface : host.interfaces) {
        if (!interface.address) continue;
        const Nid nid = Nid::small({NetType::kTcp, 0}, *interface.address);
        const auto matches = [&](const wire::AddressPattern* each) { return each->matches(nid); };
        if (std::ranges::any_of(net.patterns,
                                [&](const auto& each) { return each.matches(nid); }) &&
            std::ranges::none_of(planned_patterns, matches)) {
          names.push_back(host.config.host);
          break;
        }
      }
    }
    return names;
  }

  void report_rule(std::size_t at, const std::vector<NetDifference>& hosts) {
    const ActualNet& net = file_.nets[at];
    std::vector<std::string> others = outsiders(net);
    if (!others.empty()) {
      for (const NetDifference& each : hosts)
        others.push_back(planned_.host(each.host).config.host);
      add(Rule::kPatternMatchesOthers, net.place,
          fmt::format("the pattern of {} also matches {}", words_for(planned_, net.net),
                      list_of(others)));
      return;
    }
    std::map<Rule, std::vector<NetDifference>> by_rule;
    const Group* const group = planned_.group_of(net.net);
    for (const NetDifference& each : hosts)
      by_rule[group != nullptr ? rule_for_group(planned_, each.host, *group) : Rule::kUnplannedNet]
          .push_back(each);
    for (const auto& [rule, some] : by_rule) report_unplanned(rule, net, some);
  }

  void report_unplanned(Rule rule, const ActualNet& net, const std::vector<NetDifference>& some) {
    std::vector<std::size_t> hosts;
    for (const NetDifference& each : some)
      if (std::ranges::find(hosts, each.host) == hosts.end()) hosts.push_back(each.host);
    std::string why;
    const Group* const group = planned_.group_of(net.net);
    std::string instead;
    if (rule != Rule::kUnplannedNet || hosts.size() == 1)
      instead = take_missing(hosts, [&](NetId missing) { return planned_.group_of(missing); });
    // A net that belongs to no group may replace the net among the servers, even if the file puts
    // several hosts on it.
    if (group == nullptr && instead.empty())
      instead = take_missing(hosts, [&](NetId missing) { return planned_.among_servers(missing); });
    if (rule == Rule::kOtherSwitch || rule == Rule::kWrongParity) {
      const PlannedHost& host = planned_.host(hosts.front());
      why = fmt::format(
          ": the group is at switch {}, the host at switch {}", group->at_switch,
          host.router() ? planned_.router(host).at_switch : planned_.server(host).at_switch);
    }
    add(rule, net.place,
        fmt::format("{} {} on {}{}{}{}", words_for(planned_, hosts),
                    hosts.size() == 1 && !planned_.host(hosts.front()).clients() ? "is" : "are",
                    words_for(planned_, net.net), some.front().some ? ", some of them" : "",
                    instead, why));
  }

  /// Removes the missing nets of these hosts that an unplanned net replaces. Returns " instead of
  /// ...".
  template <class Which>
  std::string take_missing(const std::vector<std::size_t>& hosts, Which&& which) {
    std::string instead;
    std::erase_if(difference_.missing_nets, [&](const NetDifference& missing) {
      if (std::ranges::find(hosts, missing.host) == hosts.end() || !which(missing.net))
        return false;
      instead = " instead of " + words_for(planned_, missing.net);
      return true;
    });
    return instead;
  }

  /// Returns the place of the net in the file, if the file has it.
  conf::Place place_of(NetId net) const {
    const auto at = std::ranges::find(file_.nets, net, &ActualNet::net);
    return at == file_.nets.end() ? conf::Place{} : at->place;
  }

  void report_missing() {
    std::map<NetId, std::vector<NetDifference>> by_net;
    for (const NetDifference& missing : difference_.missing_nets)
      by_net[missing.net].push_back(missing);
    for (const auto& [net, some] : by_net) {
      std::vector<std::size_t> hosts;
      for (const NetDifference& each : some)
        if (hosts.empty() || hosts.back() != each.host) hosts.push_back(each.host);
      if (no_primary_left(net, hosts)) {
        add(Rule::kNoRouters, place_of(net),
            fmt::format("none of {} is on {}", words_for(planned_, file_.hosts),
                        words_for(planned_, net)))
            .hint = "Put the group's routers on the net, as ulnet-fgr plan writes it.";
        continue;
      }
      add(Rule::kMissingNet, place_of(net),
          fmt::format("{} {} not on {}{}", words_for(planned_, hosts),
                      hosts.size() == 1 && !planned_.host(hosts.front()).clients() ? "is" : "are",
                      words_for(planned_, net),
                      some.front().some ? ", some of them"
                      : hosts.size() == 1 && !some.front().address.empty()
                          ? " with " + some.front().address
                          : ""));
    }
  }

  /// Whether the file is for several routers, and all of its routers that the plan puts on the
  /// group's net lack the net.
  bool no_primary_left(NetId net, const std::vector<std::size_t>& hosts) const {
    const Group* const group = planned_.group_of(net);
    const PlannedHost& first = planned_.host(hosts.front());
    if (group == nullptr || !first.router() || file_.hosts.size() < 2) return false;
    const auto on_net = std::ranges::count_if(
        file_.hosts, [&](std::size_t each) { return planned_.host(each).has(net); });
    return static_cast<std::size_t>(on_net) == hosts.size();
  }

  const Planned& planned_;
  const Actual& file_;
  Difference& difference_;
  std::vector<Finding>& out_;
  /// reported foreign addresses of servers
  std::set<std::pair<std::size_t, Address>> reported_addresses_;
};

}  // namespace

Rule rule_for_group(const Planned& planned, std::size_t number, const Group& group) {
  const PlannedHost& host = planned.host(number);
  if (host.clients()) return Rule::kUnplannedNet;
  const bool own = host.router() ? planned.router(host).leads_to(group.file_system)
                                 : host.config.system == group.file_system;
  if (!own) return Rule::kUnplannedNet;
  const std::uint32_t suffix = suffix_of(planned, host, group.file_system);
  const FileSystem& of = planned.plan().site.file_systems[group.file_system];
  const bool sides = of.layout == FileSystem::Layout::kSides;
  if (sides && suffix != 0 && group.suffix != 0 && suffix % 2 != group.suffix % 2)
    return Rule::kWrongParity;
  const std::string& at =
      host.router() ? planned.router(host).at_switch : planned.server(host).at_switch;
  return group.at_switch.empty() || at == group.at_switch ? Rule::kUnplannedNet
                                                          : Rule::kOtherSwitch;
}

void check_nets(const Planned& planned, const Actual& file, Difference& difference,
                std::vector<Finding>& out) {
  NetsCheck(planned, file, difference, out).run();
}

}  // namespace ulnet::plan
