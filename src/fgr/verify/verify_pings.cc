// Judges interfaces, and which hosts answer which.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {
namespace {

using HostKind = HostConfig::Kind;

/// A ping between two hosts' ports: on the servers' fabric, or on the clients' net.
struct Probe {
  std::size_t from = 0, to = 0;  ///< hosts
  bool fabric = false;
  const SeenPing* ping = nullptr;

  bool answered() const { return ping->answered; }
  bool is_at(std::size_t host) const { return from == host || to == host; }
};
/// A host, and whether its port on the servers' fabric is meant.
using HostPort = std::pair<std::size_t, bool>;

void accuse_interfaces(const Observations& of, std::size_t index, const std::vector<Nid>& down,
                       std::vector<std::string> seen, Suspects& suspects) {
  const std::string nids = few_of(texts_of(down)), &name = of.host(index).name;
  suspects.accuse(
      {.kind = VerifySuspect::Kind::kPort,
       .cause = "ni-down",
       .name = fmt::format("{} {}", name, nids),
       .hosts = {name},
       .what = fmt::format("{} says that {} is down", name, nids),
       .cure = "look at the link of that interface: its cable, and the port of the switch",
       .seen = std::move(seen)});
  suspects.blame(index);
}

/// Names a host as dead if nothing at all was received from it. Otherwise names its cable on that
/// side as broken.
void accuse_port(const Observations& of, std::size_t index, bool fabric,
                 const std::vector<Probe>& probes, Suspects& suspects) {
  const VerifyHost& host = of.host(index);
  const HostSeen& state = of.seen(index);
  bool heard = state.asked();
  std::vector<std::string> seen;
  std::size_t failed = 0, on_both_sides = 0;
  for (const Probe& probe : probes) {
    if (!probe.is_at(index)) continue;
    heard = heard || probe.answered();
    on_both_sides += probe.answered() ? 0 : 1;
    if (probe.answered() || probe.fabric != fabric) continue;
    ++failed;
    if (seen.size() < 4) seen.push_back(of.text_of(probe.from, *probe.ping));
  }
  std::vector<Nid> down = of.down_nids(index);
  std::erase_if(down, [&](const Nid& nid) { return host.is_on_fabric(nid.net()) != fabric; });
  if (!down.empty()) return accuse_interfaces(of, index, down, std::move(seen), suspects);
  const std::string where =
      fmt::format("{} - {}", host.name,
                  fabric && !host.at_switch.empty() ? host.at_switch
                                                    : of.config(index).nets[0].net.to_string());
  VerifySuspect suspect{
      .kind = VerifySuspect::Kind::kCable,
      .cause = "unreachable",
      .name = where,
      .hosts = {host.name},
      .what = fmt::format("none of {} ping{} of {} on {} was answered, but the host runs", failed,
                          failed == 1 ? "" : "s", host.name,
                          fabric ? "the servers' fabric" : "the clients' net"),
      .cure = "look at that cable, at both of its ports, and at the address",
      .seen = std::move(seen)};
  if (!heard) {
    suspect.kind = VerifySuspect::Kind::kHost;
    suspect.cause = "dead";
    suspect.name = host.name;
    suspect.what = fmt::format("{} does not answer: none of {} ping{}{}", host.name, on_both_sides,
                               on_both_sides == 1 ? "" : "s",
                               state.state == HostSeen::State::kSilent
                                   ? ", and it cannot be asked: " + state.trouble
                                   : "");
    suspect.cure = "see whether it runs and LNet is configured, then its cable (" + where + ")";
  }
  suspects.blame(index);
  suspects.accuse(std::move(suspect));
}

/// Names the worst silent port as a suspect; false: there is no silent port.
bool accuse_silent_port(const Observations& of, const std::set<std::size_t>& lack_routes,
                        const std::vector<Probe>& probes, Suspects& suspects) {
  struct Count {
    std::size_t failed = 0, answered = 0, as_target = 0;
  };
  std::map<HostPort, Count> ports;
  for (const Probe& probe : probes)
    for (const auto& [end, other] : {std::pair(probe.from, probe.to), {probe.to, probe.from}}) {
      Count& port = ports[{end, probe.fabric}];
      // If a host lacks routes, its failed pings do not count against their targets.
      if (probe.answered())
        ++port.answered;
      else if (!lack_routes.contains(other))
        ++port.failed;
      if (end == probe.to) ++port.as_target;
    }
  const std::pair<const HostPort, Count>* worst = nullptr;
  const auto weight = [&](const auto& port) {
    // A silent host that several others miss comes first, because those hosts are not all to blame.
    const bool silent = of.seen(port.first.first).state == HostSeen::State::kSilent;
    return std::tuple(silent && port.second.failed > 1, port.second.failed, silent,
                      port.second.as_target);
  };
  for (const auto& port : ports)
    if (port.second.answered == 0 && port.second.failed > 0 &&
        (worst == nullptr || weight(port) > weight(*worst)))
      worst = &port;
  if (worst == nullptr) return false;
  accuse_port(of, worst->first.first, worst->first.second, probes, suspects);
  return true;
}

/// Whether several routers report that their clients' net is down, and none reports that it is up:
/// then no client is there.
bool all_are_down(const Observations& of, std::size_t system) {
  const NetId net = of.checks().plan.site.clients[system].net;
  std::size_t routers = 0;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.host(i).is(HostKind::kRouter) || of.config(i).system != system) continue;
    for (const SeenNi& ni : of.seen(i).nis) {
      if (ni.nid.net() != net) continue;
      if (ni.up) return false;
      ++routers;
    }
  }
  return routers > 1;
}

bool is_down_by_itself(const Observations& of, std::size_t router, const Nid& nid,
                       const Suspects& suspects) {
  std::size_t pings = 0, unexplained = 0;
  for (std::size_t i = 0; i < of.hosts(); ++i)
    for (const SeenPing& ping : of.seen(i).pings) {
      const bool its = i == router ? ping.target.nid.net() == nid.net() : ping.target.nid == nid;
      if (!its) continue;
      if (ping.answered) return false;
      ++pings;
      unexplained += suspects.explain(i == router ? ping.target.host : i) ? 0 : 1;
    }
  if (pings > 0) return unexplained > 0;
  const std::size_t system = of.config(router).system;
  return nid.net() != of.checks().plan.site.clients[system].net || !all_are_down(of, system);
}

/// A router also marks an interface down when nothing was received there for a while. So a down
/// interface counts against the router only if no ping passed there and no other suspect explains
/// it.
void judge_router_interfaces(const Observations& of, Suspects& suspects) {
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.host(i).is(HostKind::kRouter) || suspects.explain(i)) continue;
    std::vector<Nid> down = of.down_nids(i);
    std::erase_if(down, [&](const Nid& nid) { return !is_down_by_itself(of, i, nid, suspects); });
    if (!down.empty()) accuse_interfaces(of, i, down, {}, suspects);
  }
}

/// Names links between two switches as suspects if no ping between the switches was answered.
/// Removes the pings that this explains from `failed`.
void accuse_links(const Observations& of, const std::vector<Probe>& probes,
                  std::vector<Probe>& failed, Suspects& suspects) {
  using Link = std::pair<std::string, std::string>;
  const auto link_of = [&](const Probe& probe) -> Link {
    return std::minmax(of.host(probe.from).at_switch, of.host(probe.to).at_switch);
  };
  std::map<Link, std::pair<std::size_t, std::size_t>> links;
  for (const Probe& probe : probes) {
    const Link link = link_of(probe);
    if (link.first.empty() || link.first == link.second) continue;
    ++(probe.answered() ? links[link].second : links[link].first);
  }
  for (const auto& [link, count] : links) {
    if (count.first < 2 || count.second > 0) continue;
    suspects.accuse(
        {.kind = VerifySuspect::Kind::kCable,
         .cause = "link",
         .name = fmt::format("{} - {}", link.first, link.second),
         .what = fmt::format("none of {} pings between the switches {} and {} was answered",
                             count.first, link.first, link.second),
         .cure = "look at the links between the two switches, and at their routing tables"});
    const Link& gone = link;
    std::erase_if(failed, [&](const Probe& probe) { return link_of(probe) == gone; });
  }
}

/// Among the remaining failures, names the ports that miss the most others, one after the other.
void accuse_paths(const Observations& of, std::vector<Probe> failed, Suspects& suspects) {
  while (!failed.empty()) {
    std::map<HostPort, std::set<std::size_t>> missed;
    for (const Probe& probe : failed) {
      missed[{probe.from, probe.fabric}].insert(probe.to);
      missed[{probe.to, probe.fabric}].insert(probe.from);
    }
    const auto worst =
        std::ranges::max_element(missed, {}, [](const auto& one) { return one.second.size(); });
    const HostPort port = worst->first;
    const std::set<std::size_t>& others = worst->second;
    const std::string &name = of.host(port.first).name, &other = of.host(*others.begin()).name;
    const bool path = others.size() == 1;
    VerifySuspect suspect{.kind = path ? VerifySuspect::Kind::kCable : VerifySuspect::Kind::kPort,
                          .cause = path ? "path" : "unreliable",
                          .name = path ? fmt::format("{} - {}", name, other) : name,
                          .hosts = path ? std::vector{name, other} : std::vector{name},
                          .cure = "look at what lies between them, and run this again"};
    std::size_t lost = 0;
    std::erase_if(failed, [&](const Probe& probe) {
      if (probe.fabric != port.second || !probe.is_at(port.first)) return false;
      ++lost;
      if (suspect.seen.size() < 4) suspect.seen.push_back(of.text_of(probe.from, *probe.ping));
      return true;
    });
    suspect.what =
        path ? fmt::format("no ping passes between {} and {}, and both reach others", name, other)
             : fmt::format(
                   "{} pings between {} and {} others were not answered, and "
                   "those with others were",
                   lost, name, others.size());
    suspects.blame(port.first);
    suspects.accuse(std::move(suspect));
  }
}

/// Whether a suspect at an end of the path between a client and a server, or a router on it,
/// explains a lost message.
bool path_is_blamed(const Observations& of, const Suspects& suspects, std::size_t client,
                    std::size_t server) {
  const auto blamed = [&](const HostRoute& route) {
    const auto owner = of.owner_of(route.gateway);
    return owner && suspects.explain_routed(*owner);
  };
  return suspects.explain_routed(client) || suspects.explain_routed(server) ||
         std::ranges::any_of(of.config(server).routes, blamed) ||
         std::ranges::any_of(of.config(client).routes, [&](const HostRoute& route) {
           return of.host(server).is_on_fabric(route.net) && blamed(route);
         });
}

}  // namespace

void judge_interfaces(const Observations& of, Suspects& suspects) {
  for (std::size_t i = 0; i < of.hosts(); ++i)
    if (const auto down = of.down_nids(i); !down.empty() && !of.host(i).is(HostKind::kRouter))
      accuse_interfaces(of, i, down, {}, suspects);
}

void judge_ports(const Observations& of, const std::set<std::size_t>& lack_routes,
                 Suspects& suspects) {
  std::vector<Probe> probes;
  for (std::size_t i = 0; i < of.hosts(); ++i)
    for (const SeenPing& ping : of.seen(i).pings) {
      const std::size_t to = ping.target.host;
      if (of.host(i).is(HostKind::kClients) && of.host(to).is(HostKind::kServer)) continue;
      probes.push_back({i, to, of.host(to).is_on_fabric(ping.target.nid.net()), &ping});
    }
  const auto explained = [&](const Probe& probe) {
    return !probe.answered() && (suspects.explain(probe.from) || suspects.explain(probe.to));
  };
  // A port is out of order if none of its pings, in both directions, was answered. The port with
  // the most failed pings comes first, because it explains failures at the other ends.
  do {
    std::erase_if(probes, explained);
  } while (accuse_silent_port(of, lack_routes, probes, suspects));
  judge_router_interfaces(of, suspects);
  std::erase_if(probes, explained);
  std::vector<Probe> failed;
  for (const Probe& probe : probes)
    if (!probe.answered() && !lack_routes.contains(probe.from) && !lack_routes.contains(probe.to))
      failed.push_back(probe);
  accuse_links(of, probes, failed, suspects);
  accuse_paths(of, std::move(failed), suspects);
}

void judge_answers(const Observations& of, Suspects& suspects) {
  std::set<std::pair<std::size_t, std::size_t>> seen_so_far;
  for (std::size_t i = 0; i < of.hosts(); ++i)
    for (const SeenPing& ping : of.seen(i).pings) {
      const std::size_t wanted = ping.target.host;
      if (!ping.answered || ping.nids.empty() || suspects.explain(wanted)) continue;
      const auto owner = of.owner_of(ping.nids);
      if (owner == wanted || (owner && suspects.explain(*owner))) continue;
      if (!seen_so_far.emplace(wanted, owner.value_or(of.hosts())).second) continue;
      const VerifyHost& host = of.host(wanted);
      suspects.accuse(
          {.kind = VerifySuspect::Kind::kCable,
           .cause = "other-host-answers",
           .name = fmt::format("{} - {}", host.name, host.at_switch),
           .hosts = {host.name},
           .what = fmt::format("{} answers at {} of {}",
                               owner ? of.host(*owner).name : "a host that the site does not know",
                               ping.target.nid.to_string(), host.name),
           .cure = "see who has that address, and which cable leads there",
           .seen = {
               fmt::format("NIDs of the host that answers: {}", few_of(texts_of(ping.nids), 8))}});
      suspects.blame(wanted);
      if (owner) suspects.blame(*owner);
    }
}

void judge_routed_pings(const Observations& of, Suspects& suspects) {
  std::map<std::size_t, std::vector<std::string>> lost;
  std::set<std::size_t> reached;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.host(i).is(HostKind::kClients)) continue;
    for (const SeenPing& ping : of.seen(i).pings) {
      const std::size_t to = ping.target.host;
      if (!of.host(to).is(HostKind::kServer)) continue;
      if (ping.answered)
        reached.insert(to);
      else if (!path_is_blamed(of, suspects, i, to))
        lost[to].push_back(of.text_of(i, ping));
    }
  }
  for (auto& [server, lines] : lost) {
    const std::size_t clients = lines.size();
    const std::string& name = of.host(server).name;
    if (of.seen(server).state == HostSeen::State::kSilent)
      lines.insert(lines.begin(), "it cannot be asked: " + of.seen(server).trouble);
    if (lines.size() > 4) lines.resize(4);
    suspects.accuse(
        {.kind = VerifySuspect::Kind::kHost,
         .cause = "not-reached",
         .name = name,
         .hosts = {name},
         .what = fmt::format("{} client{} get{} no answer from {} through its routers{}", clients,
                             clients == 1 ? "" : "s", clients == 1 ? "s" : "", name,
                             reached.contains(server) ? ", and others do" : ""),
         .cure = "see whether it runs and has routes back to them, and whether its routers route",
         .seen = std::move(lines)});
    suspects.blame(server);
  }
}

void judge_unasked(const Observations& of, Suspects& suspects) {
  std::vector<std::string> names, lines;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (of.seen(i).state != HostSeen::State::kSilent || suspects.explain(i)) continue;
    names.push_back(of.host(i).name);
    lines.push_back(names.back() + ": " + of.seen(i).trouble);
  }
  if (names.empty()) return;
  if (lines.size() > 4) lines.resize(4);
  suspects.accuse({.kind = VerifySuspect::Kind::kHost,
                   .cause = "not-asked",
                   .name = few_of(names),
                   .hosts = names,
                   .what = fmt::format("{} could not be asked what {} configured", few_of(names),
                                       names.size() == 1 ? "it has" : "they have"),
                   .cure = "see how they are reached (--via)",
                   .seen = lines});
}

}  // namespace ulnet::plan
