// The real state of a planned site, for the tests of its verification.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/plan/plan_fixture.h"
#include "fgr/verify/verify.h"

namespace ulnet::plan {

using SeenState = HostSeen::State;
using HostKind = HostConfig::Kind;

/// The real state of a site. It begins as planned, tests change it, and seen() is the answers of
/// its hosts.
class RealSite {
 public:
  explicit RealSite(const Site& site = paper_site())
      : checks_(checks_of(*make_plan(site), {{"client1", 0}, {"client2", 0}})) {
    for (const VerifyHost& host : checks_.hosts) {
      Host& real = hosts_.emplace_back();
      real.nids = host.nids;
      const HostConfig& config = checks_.configs[host.config];
      if (host.is(HostKind::kClients)) real.nids = {Nid::small(config.nets[0].net, 1000 + next_++)};
      real.routing = host.is(HostKind::kRouter);
      for (const HostRoute& route : config.routes)
        real.routes.push_back({route.net, route.gateway, route.hops, true, ""});
    }
  }

  struct Host {
    std::vector<Nid> nids;
    std::vector<SeenRoute> routes;
    bool routing = false, dead = false, asked = true;
    bool cut = false;          ///< from the servers' fabric
    bool clients_cut = false;  ///< from the clients' net
    bool refuses = false;      ///< does not answer questions
    bool forwards = true;      ///< false: no message passes this router, whatever it reports
    std::set<Nid> down;        ///< addresses whose interfaces are down
  };
  Host& operator[](const std::string& name) { return hosts_[*checks_.find(name)]; }
  const VerifyChecks& checks() const { return checks_; }
  /// Cuts the link between these switches.
  void cut_link(const std::string& one, const std::string& other) { links_ = {one, other}; }
  /// Cuts the path between these hosts.
  void cut_path(const std::string& one, const std::string& other) {
    paths_.insert(std::minmax(*checks_.find(one), *checks_.find(other)));
  }
  /// Lets a host that the site does not know, which has the NID `stranger`, answer at the addresses
  /// of `host`.
  void stand_in(const std::string& host, const Nid& stranger) {
    strangers_[*checks_.find(host)] = stranger;
  }
  void ask_only(const std::string& name) {
    for (Host& host : hosts_) host.asked = false;
    (*this)[name].asked = true;
  }

  /// Returns the hosts that are asked.
  std::vector<std::size_t> asked() const {
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].asked) asked.push_back(i);
    return asked;
  }
  /// Returns the configuration that the host reports.
  HostSeen state(std::size_t index) const {
    const Host& host = hosts_[index];
    HostSeen seen;
    if (!host.asked) return seen;
    if (host.dead || host.refuses) {
      seen.state = SeenState::kSilent;
      seen.trouble = host.dead ? "it has ended" : "Permission denied";
      return seen;
    }
    seen.state = SeenState::kAsked;
    for (const Nid& nid : host.nids)
      seen.nis.push_back(
          {nid, !host.down.contains(nid) &&
                    (!checks_.hosts[index].is(HostKind::kRouter) || lives(nid.net()))});
    seen.routes = host.routes;
    seen.routing = host.routing;
    for (SeenRoute& route : seen.routes) route.up = leads(route);
    return seen;
  }

  /// Returns the result of a ping from this host.
  SeenPing ping(std::size_t from, const PingTarget& target) const {
    SeenPing said{.target = target, .answered = false, .nids = {}, .trouble = "timed out"};
    const std::optional<std::size_t> to = passes(from, target.nid);
    if (!to) return said;
    const auto stranger = strangers_.find(*to);
    said.answered = true;
    said.trouble.clear();
    said.nids = stranger == strangers_.end() ? hosts_[*to].nids : std::vector{stranger->second};
    return said;
  }

  /// Returns all answers, at one time and without losses.
  std::vector<HostSeen> seen() const {
    std::vector<HostSeen> all;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      HostSeen& seen = all.emplace_back(state(i));
      if (!seen.asked()) continue;
      for (const PingTarget& target : checks_.pings[i]) seen.pings.push_back(ping(i, target));
    }
    return all;
  }

  std::vector<std::string> suspects(const std::vector<SeenCable>& cables = {}) const {
    return texts_of(diagnose(checks_, seen(), cables));
  }
  static std::vector<std::string> texts_of(const VerifyVerdict& verdict) {
    std::vector<std::string> texts;
    for (const VerifySuspect& one : verdict.suspects)
      texts.push_back(
          fmt::format("{} {}: {}", to_string(one.kind), one.cause, fmt::join(one.hosts, " ")));
    return texts;
  }

 private:
  /// Returns the host that answers at the address.
  std::optional<std::size_t> owner(const Nid& nid) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if ((!hosts_[i].dead || strangers_.contains(i)) && !hosts_[i].down.contains(nid) &&
          std::ranges::find(hosts_[i].nids, nid) != hosts_[i].nids.end())
        return i;
    return std::nullopt;
  }
  /// Whether a host other than a router is on the net: otherwise routers mark it down.
  bool lives(NetId net) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (!checks_.hosts[i].is(HostKind::kRouter) && !hosts_[i].dead && !hosts_[i].cut &&
          std::ranges::find(hosts_[i].nids, net, &Nid::net) != hosts_[i].nids.end())
        return true;
    return false;
  }
  bool leads(const SeenRoute& route) const {
    const auto gateway = owner(route.gateway);
    if (!gateway || !lives(route.net)) return false;
    const Host& host = hosts_[*gateway];
    return host.routing && host.forwards && !host.cut && !host.clients_cut &&
           is_up(host, route.net);
  }
  bool is_up(const Host& host, NetId net) const {
    return std::ranges::any_of(
        host.nids, [&](const Nid& nid) { return nid.net() == net && !host.down.contains(nid); });
  }
  /// Returns the host that gets a message to this address, if the host's answer comes back too.
  std::optional<std::size_t> passes(std::size_t from, const Nid& nid) const {
    const std::optional<std::size_t> to = owner(nid);
    if (!to || paths_.contains(std::minmax(from, *to))) return std::nullopt;
    const Host &one = hosts_[from], &other = hosts_[*to];
    const VerifyHost &here = checks_.hosts[from], &there = checks_.hosts[*to];
    if (nid.net().type == NetType::kO2ib ? other.cut || one.cut
                                         : other.clients_cut || one.clients_cut)
      return std::nullopt;
    if (const std::set<std::string> between = {here.at_switch, there.at_switch}; between == links_)
      return std::nullopt;
    if (is_up(one, nid.net())) return to;
    if (!here.is(HostKind::kClients) || !reaches(one, nid.net())) return std::nullopt;
    if (!strangers_.contains(*to) && !reaches(other, one.nids[0].net())) return std::nullopt;
    return to;
  }
  bool reaches(const Host& host, NetId net) const {
    return std::ranges::any_of(
        host.routes, [&](const SeenRoute& route) { return route.net == net && leads(route); });
  }

  VerifyChecks checks_;
  std::vector<Host> hosts_;
  std::set<std::string> links_;
  std::set<std::pair<std::size_t, std::size_t>> paths_;
  std::map<std::size_t, Nid> strangers_;
  std::uint32_t next_ = 0;
};

}  // namespace ulnet::plan
