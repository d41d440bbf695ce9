#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {
namespace {

std::string ping_text(const VerifyChecks& checks, std::size_t from, const SeenPing& ping) {
  return fmt::format("{} -> {} {}: {}", checks.hosts[from].name,
                     checks.hosts[ping.target.host].name, ping.target.nid.to_string(),
                     ping.answered          ? "answered"
                     : ping.trouble.empty() ? "no answer"
                                            : ping.trouble) +
         (ping.answered || ping.asked < 2 ? "" : fmt::format(", {} times", ping.asked));
}

}  // namespace

bool Diagnosis::is_fabric(std::size_t index, const Nid& nid) const {
  const auto& nets = host(index).fabrics;
  return std::ranges::find(nets, nid.net()) != nets.end();
}

/// Judges ports by their pings. A port is out of order if none of its pings, in both directions,
/// was answered. The port with the most failed pings comes first, because it explains failures at
/// the other ends.
void Diagnosis::judge_direct_pings() {
  std::vector<Probe> probes;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    for (const SeenPing& ping : seen_[i].pings) {
      const std::size_t to = ping.target.host;
      if (host(i).is(Kind::kClients) && host(to).is(Kind::kServer)) continue;
      probes.push_back({i, to, is_fabric(to, ping.target.nid), &ping});
    }
  const auto explained = [&](const Probe& probe) {
    return !probe.ping->answered && (direct_[probe.from] || direct_[probe.to]);
  };
  do {
    std::erase_if(probes, explained);
  } while (accuse_silent_port(probes));
  judge_router_interfaces();
  std::erase_if(probes, explained);
  std::vector<Probe> failed;
  for (const Probe& probe : probes)
    if (!probe.ping->answered && !lacks_routes_[probe.from] && !lacks_routes_[probe.to])
      failed.push_back(probe);
  accuse_links(failed, probes);
  accuse_paths(std::move(failed));
}

/// Names the worst silent port as a suspect; false: there is no silent port.
bool Diagnosis::accuse_silent_port(const std::vector<Probe>& probes) {
  struct Count {
    std::size_t failed = 0, answered = 0, as_target = 0;
  };
  std::map<Port, Count> ports;
  for (const Probe& probe : probes)
    for (const auto& [end, other] : {std::pair(probe.from, probe.to), {probe.to, probe.from}}) {
      Count& port = ports[{end, probe.fabric}];
      // If a host lacks routes, its failed pings do not count against their targets.
      if (probe.ping->answered)
        ++port.answered;
      else if (!lacks_routes_[other])
        ++port.failed;
      if (end == probe.to) ++port.as_target;
    }
  const std::pair<const Port, Count>* worst = nullptr;
  const auto weight = [&](const auto& port) {
    // A silent host that several others miss comes first, because those hosts are not all to blame.
    const bool silent = seen_[port.first.first].state == HostSeen::State::kSilent;
    return std::tuple(silent && port.second.failed > 1, port.second.failed, silent,
                      port.second.as_target);
  };
  for (const auto& port : ports)
    if (port.second.answered == 0 && port.second.failed > 0 &&
        (worst == nullptr || weight(port) > weight(*worst)))
      worst = &port;
  if (worst == nullptr) return false;
  accuse_port(worst->first.first, worst->first.second, probes);
  return true;
}

/// A router also marks an interface down when nothing was received there for a while. So a down
/// interface counts against the router only if no ping passed there and no other suspect explains
/// it.
void Diagnosis::judge_router_interfaces() {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!host(i).is(Kind::kRouter) || direct_[i]) continue;
    std::vector<Nid> down = down_nids(i);
    std::erase_if(down, [&](const Nid& nid) { return !is_down_by_itself(i, nid); });
    if (!down.empty()) accuse_interfaces(i, down, {});
  }
}

bool Diagnosis::is_down_by_itself(std::size_t router, const Nid& nid) const {
  std::size_t pings = 0, unexplained = 0;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    for (const SeenPing& ping : seen_[i].pings) {
      const bool its = i == router ? ping.target.nid.net() == nid.net() : ping.target.nid == nid;
      if (!its) continue;
      if (ping.answered) return false;
      ++pings;
      unexplained += direct_[i == router ? ping.target.host : i] == 0;
    }
  if (pings > 0) return unexplained > 0;
  const std::size_t system = config(router).system;
  return nid.net() != checks_.plan.site.clients[system].net || !all_are_down(system);
}

/// Whether several routers report that their clients' net is down, and none reports that it is up:
/// then no client is there.
bool Diagnosis::all_are_down(std::size_t system) const {
  const NetId net = checks_.plan.site.clients[system].net;
  std::size_t routers = 0;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!host(i).is(Kind::kRouter) || config(i).system != system) continue;
    for (const SeenNi& ni : seen_[i].nis) {
      if (ni.nid.net() != net) continue;
      if (ni.up) return false;
      ++routers;
    }
  }
  return routers > 1;
}

/// Names a host as dead if nothing at all was received from it. Otherwise names its cable on that
/// side as broken.
void Diagnosis::accuse_port(std::size_t index, bool fabric, const std::vector<Probe>& probes) {
  bool heard = seen_[index].asked();
  std::vector<std::string> seen;
  std::size_t failed = 0, on_both_sides = 0;
  for (const Probe& probe : probes) {
    if (probe.from != index && probe.to != index) continue;
    heard = heard || probe.ping->answered;
    on_both_sides += probe.ping->answered ? 0 : 1;
    if (probe.ping->answered || probe.fabric != fabric) continue;
    ++failed;
    if (seen.size() < 4) seen.push_back(ping_text(checks_, probe.from, *probe.ping));
  }
  std::vector<Nid> down = down_nids(index);
  std::erase_if(down, [&](const Nid& nid) { return is_fabric(index, nid) != fabric; });
  if (!down.empty()) return accuse_interfaces(index, down, std::move(seen));
  const VerifyHost& of = host(index);
  const std::string where =
      fabric && !of.at_switch.empty()
          ? fmt::format("{} - {}", of.name, of.at_switch)
          : fmt::format("{} - {}", of.name, config(index).nets[0].net.to_string());
  VerifySuspect suspect{
      .kind = VerifySuspect::Kind::kCable,
      .cause = "unreachable",
      .name = where,
      .hosts = {of.name},
      .what = fmt::format("none of {} ping{} of {} on {} was answered, but the host runs", failed,
                          failed == 1 ? "" : "s", of.name,
                          fabric ? "the servers' fabric" : "the clients' net"),
      .cure = "look at that cable, at both of its ports, and at the address",
      .seen = seen};
  if (!heard) {
    suspect.kind = VerifySuspect::Kind::kHost;
    suspect.cause = "dead";
    suspect.name = of.name;
    suspect.what = fmt::format("{} does not answer: none of {} ping{}{}", of.name, on_both_sides,
                               on_both_sides == 1 ? "" : "s",
                               seen_[index].state == HostSeen::State::kSilent
                                   ? ", and it cannot be asked: " + seen_[index].trouble
                                   : "");
    suspect.cure = "see whether it runs and LNet is configured, then its cable (" + where + ")";
  }
  blame(index);
  accuse(std::move(suspect));
}

/// Names links between two switches as suspects if no ping between the switches was answered.
/// Removes the pings that this explains from `failed`.
void Diagnosis::accuse_links(std::vector<Probe>& failed, const std::vector<Probe>& all) {
  const auto link_of = [&](const Probe& probe) {
    std::pair<std::string, std::string> link{host(probe.from).at_switch, host(probe.to).at_switch};
    if (link.first > link.second) std::swap(link.first, link.second);
    return link;
  };
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> links;
  for (const Probe& probe : all) {
    const auto link = link_of(probe);
    if (link.first.empty() || link.first == link.second) continue;
    ++(probe.ping->answered ? links[link].second : links[link].first);
  }
  for (const auto& [link, count] : links) {
    if (count.first < 2 || count.second > 0) continue;
    accuse({.kind = VerifySuspect::Kind::kCable,
            .cause = "link",
            .name = fmt::format("{} - {}", link.first, link.second),
            .hosts = {},
            .what = fmt::format("none of {} pings between the switches {} and {} was answered",
                                count.first, link.first, link.second),
            .cure = "look at the links between the two switches, and at their routing tables",
            .seen = {}});
    const auto gone = link;
    std::erase_if(failed, [&](const Probe& probe) { return link_of(probe) == gone; });
  }
}

/// Among the remaining failures, names the ports that miss the most others, one after the other.
void Diagnosis::accuse_paths(std::vector<Probe> failed) {
  while (!failed.empty()) {
    std::map<Port, std::set<std::size_t>> missed;
    for (const Probe& probe : failed) {
      missed[{probe.from, probe.fabric}].insert(probe.to);
      missed[{probe.to, probe.fabric}].insert(probe.from);
    }
    const auto worst =
        std::ranges::max_element(missed, {}, [](const auto& one) { return one.second.size(); });
    const std::size_t index = worst->first.first;
    const bool fabric = worst->first.second;
    const std::set<std::size_t>& others = worst->second;
    const std::string name = host(index).name, other = host(*others.begin()).name;
    const bool path = others.size() == 1;
    VerifySuspect suspect{.kind = path ? VerifySuspect::Kind::kCable : VerifySuspect::Kind::kPort,
                          .cause = path ? "path" : "unreliable",
                          .name = path ? fmt::format("{} - {}", name, other) : name,
                          .hosts = path ? std::vector{name, other} : std::vector{name},
                          .what = {},
                          .cure = "look at what lies between them, and run this again",
                          .seen = {}};
    std::size_t lost = 0;
    std::erase_if(failed, [&](const Probe& probe) {
      if (probe.fabric != fabric || (probe.from != index && probe.to != index)) return false;
      ++lost;
      if (suspect.seen.size() < 4)
        suspect.seen.push_back(ping_text(checks_, probe.from, *probe.ping));
      return true;
    });
    suspect.what =
        path ? fmt::format("no ping passes between {} and {}, and both reach others", name, other)
             : fmt::format(
                   "{} pings between {} and {} others were not answered, and "
                   "those with others were",
                   lost, name, others.size());
    blame(index);
    accuse(std::move(suspect));
  }
}

/// If another host answers at an address, its other NIDs show which host it is.
void Diagnosis::judge_answers() {
  std::set<std::tuple<std::size_t, std::size_t>> seen_so_far;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    for (const SeenPing& ping : seen_[i].pings) {
      const std::size_t wanted = ping.target.host;
      if (!ping.answered || ping.nids.empty() || direct_[wanted]) continue;
      const auto owner = owner_of(ping.nids);
      if (owner == wanted || (owner && direct_[*owner])) continue;
      const std::size_t who = owner.value_or(seen_.size());
      if (!seen_so_far.emplace(wanted, who).second) continue;
      const std::string name = owner ? host(*owner).name : "a host that the site does not know";
      std::vector<std::string> nids;
      for (const Nid& nid : ping.nids) nids.push_back(nid.to_string());
      accuse({.kind = VerifySuspect::Kind::kCable,
              .cause = "other-host-answers",
              .name = fmt::format("{} - {}", host(wanted).name, host(wanted).at_switch),
              .hosts = {host(wanted).name},
              .what = fmt::format("{2} answers at {0} of {1}", ping.target.nid.to_string(),
                                  host(wanted).name, name),
              .cure = "see who has that address, and which cable leads there",
              .seen = {fmt::format("NIDs of the host that answers: {}", few_of(nids, 8))}});
      blame(wanted);
      if (owner) blame(*owner);
    }
}

/// Whether a suspected router on the path explains a lost message.
bool Diagnosis::path_is_blamed(std::size_t client, std::size_t server) const {
  const auto blamed = [&](const HostRoute& route) {
    const auto owner = owners_.find(route.gateway);
    return owner != owners_.end() && routed_[owner->second];
  };
  const auto& nets = host(server).fabrics;
  return routed_[client] || routed_[server] || std::ranges::any_of(config(server).routes, blamed) ||
         std::ranges::any_of(config(client).routes, [&](const HostRoute& route) {
           return std::ranges::find(nets, route.net) != nets.end() && blamed(route);
         });
}

/// Reports clients that do not reach a server although neither its routers nor any routes are
/// suspects.
void Diagnosis::judge_routed_pings() {
  std::map<std::size_t, std::vector<std::string>> lost;
  std::set<std::size_t> reached;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!host(i).is(Kind::kClients)) continue;
    for (const SeenPing& ping : seen_[i].pings) {
      const std::size_t to = ping.target.host;
      if (!host(to).is(Kind::kServer)) continue;
      if (ping.answered)
        reached.insert(to);
      else if (!path_is_blamed(i, to))
        lost[to].push_back(ping_text(checks_, i, ping));
    }
  }
  for (auto& [server, lines] : lost) {
    const std::size_t clients = lines.size();
    const std::string& name = host(server).name;
    if (seen_[server].state == HostSeen::State::kSilent)
      lines.insert(lines.begin(), "it cannot be asked: " + seen_[server].trouble);
    if (lines.size() > 4) lines.resize(4);
    accuse(
        {.kind = VerifySuspect::Kind::kHost,
         .cause = "not-reached",
         .name = name,
         .hosts = {name},
         .what = fmt::format("{} client{} get{} no answer from {} through its routers{}", clients,
                             clients == 1 ? "" : "s", clients == 1 ? "s" : "", name,
                             reached.contains(server) ? ", and others do" : ""),
         .cure = "see whether it runs and has routes back to them, and whether its routers route",
         .seen = std::move(lines)});
    blame(server);
  }
}

/// Reports hosts that could not be asked, although they answer pings or nobody pings them.
void Diagnosis::judge_unasked() {
  std::vector<std::string> names, lines;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i].state != HostSeen::State::kSilent || direct_[i]) continue;
    names.push_back(host(i).name);
    lines.push_back(host(i).name + ": " + seen_[i].trouble);
  }
  if (names.empty()) return;
  if (lines.size() > 4) lines.resize(4);
  accuse({.kind = VerifySuspect::Kind::kHost,
          .cause = "not-asked",
          .name = few_of(names),
          .hosts = names,
          .what = fmt::format("{} could not be asked what {} configured", few_of(names),
                              names.size() == 1 ? "it has" : "they have"),
          .cure = "see how they are reached (--via)",
          .seen = lines});
}

}  // namespace ulnet::plan
