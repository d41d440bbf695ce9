// A planned site as it really is, for the tests of its verification.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan_fixture.h"
#include "plan/verify/verify.h"

namespace ulnet::plan {

using SeenState = HostSeen::State;
using HostKind = HostConfig::Kind;

/// A site as it really is: it begins as planned, tests change it, and seen() is what its hosts say.
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
    bool cut = false;  ///< from the servers' fabric
  };
  Host& operator[](const std::string& name) { return hosts_[*checks_.find(name)]; }
  const VerifyChecks& checks() const { return checks_; }
  /// Nothing passes between these switches.
  void cut_link(const std::string& one, const std::string& other) { links_ = {one, other}; }
  void ask_nobody_but(const std::string& name) {
    for (Host& host : hosts_) host.asked = false;
    (*this)[name].asked = true;
  }

  std::vector<HostSeen> seen() const {
    std::vector<HostSeen> all;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      HostSeen& seen = all.emplace_back();
      if (!hosts_[i].asked) continue;
      if (hosts_[i].dead) {
        seen.state = SeenState::kSilent;
        seen.trouble = "it has ended";
        continue;
      }
      seen.state = SeenState::kAsked;
      for (const Nid& nid : hosts_[i].nids)
        seen.nis.push_back({nid, !checks_.hosts[i].is(HostKind::kRouter) || lives(nid.net())});
      seen.routes = hosts_[i].routes;
      seen.routing = hosts_[i].routing;
      for (SeenRoute& route : seen.routes) route.up = routes(route.gateway) && lives(route.net);
      for (const PingTarget& target : checks_.pings[i]) seen.pings.push_back(ping(i, target));
    }
    return all;
  }

  std::vector<std::string> suspects(const std::vector<SeenCable>& cables = {}) const {
    std::vector<std::string> texts;
    for (const VerifySuspect& one : diagnose(checks_, seen(), cables).suspects)
      texts.push_back(
          fmt::format("{} {}: {}", to_string(one.kind), one.cause, fmt::join(one.hosts, " ")));
    return texts;
  }

 private:
  const Host* owner(const Nid& nid) const {
    const auto found = std::ranges::find_if(hosts_, [&](const Host& host) {
      return !host.dead && std::ranges::find(host.nids, nid) != host.nids.end();
    });
    return found == hosts_.end() ? nullptr : &*found;
  }
  /// Somebody is on the net who is no router: else routers call it down.
  bool lives(NetId net) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (!checks_.hosts[i].is(HostKind::kRouter) && !hosts_[i].dead && !hosts_[i].cut &&
          std::ranges::find(hosts_[i].nids, net, &Nid::net) != hosts_[i].nids.end())
        return true;
    return false;
  }
  bool routes(const Nid& gateway) const {
    const Host* host = owner(gateway);
    return host != nullptr && host->routing && !host->cut;
  }
  SeenPing ping(std::size_t from, const PingTarget& target) const {
    SeenPing said{.target = target, .answered = false, .nids = {}, .trouble = "timed out"};
    const Host* there = owner(target.nid);
    const VerifyHost& here = checks_.hosts[from];
    const bool client = here.is(HostKind::kClients),
               fabric = target.nid.net().type == NetType::kO2ib;
    if (there == nullptr || (fabric && (there->cut || hosts_[from].cut))) return said;
    const VerifyHost& to = checks_.hosts[static_cast<std::size_t>(there - hosts_.data())];
    const std::set<std::string> between = {here.at_switch, to.at_switch};
    if (between == links_) return said;
    if (client && fabric &&
        !(reaches(hosts_[from], target.nid.net()) && reaches(*there, hosts_[from].nids[0].net())))
      return said;
    if (!client && std::ranges::none_of(hosts_[from].nids, [&](const Nid& nid) {
          return nid.net() == target.nid.net();
        }))
      return said;
    return {.target = target, .answered = true, .nids = there->nids, .trouble = {}};
  }
  bool reaches(const Host& host, NetId net) const {
    return std::ranges::any_of(host.routes, [&](const SeenRoute& route) {
      return route.net == net && routes(route.gateway);
    });
  }

  VerifyChecks checks_;
  std::vector<Host> hosts_;
  std::set<std::string> links_;
  std::uint32_t next_ = 0;
};

}  // namespace ulnet::plan
