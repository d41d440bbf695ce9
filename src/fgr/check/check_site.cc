#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fgr/check/check_parts.h"
#include "fgr/check/covering.h"
#include "fgr/plan/bandwidth.h"
#include "fgr/plan/kinds.h"
#include "fgr/plan/options.h"
#include "fgr/plan/outputs.h"

namespace ulnet::plan {
namespace {

class SiteCheck {
 public:
  explicit SiteCheck(const Site& site) : site_(site) {}

  std::vector<Finding> run(std::span<const Finding> problems) {
    for (const ClientSystem& clients : site_.clients) look_at(clients);
    for (const FileSystem& system : site_.file_systems)
      for (const Server& server : system.servers) {
        claim_name(server.host);
        if (server.address == 0)
          missing(server.host, server.host + " has no address on the servers' fabric");
        else
          claim_address(server.address, server.host);
      }
    for (const Finding& problem : problems)
      findings_.emplace_back(problem).severity = Severity::kError;  // it prevents a plan
    return std::move(findings_);
  }

 private:
  void add(Rule rule, const std::string& subject, std::string what) {
    findings_.push_back(make_finding(rule, {}, subject, std::move(what)));
  }
  void missing(const std::string& subject, std::string what) {
    add(Rule::kMissingAddress, subject, std::move(what));
  }
  void claim_name(const std::string& name) {
    if (!names_.insert(name).second)
      add(Rule::kDuplicateName, name, "there are two hosts of the name " + name);
  }
  void claim_address(Address address, const std::string& host) {
    const auto [at, fresh] = addresses_.emplace(address, host);
    if (!fresh)
      add(Rule::kDuplicateAddress, host,
          fmt::format("{} has the address of {}, {}", host, at->second, words_of({address})));
  }

  void look_at(const ClientSystem& clients) {
    if (clients.addresses.find_first_not_of(' ') == std::string::npos)
      missing(clients.name, "the clients of " + clients.name +
                                " have no pattern of addresses, by which ip2nets knows them");
    for (const Router& router : clients.routers) {
      claim_name(router.host);
      const auto [at, fresh] = nids_.emplace(router.client_nid, router.host);
      if (!fresh)
        add(Rule::kDuplicateAddress, router.host,
            fmt::format("{} has the NID of {}, {}", router.host, at->second,
                        router.client_nid.to_string()));
      if (router.addresses.empty())
        missing(router.host, router.host + " has no address on the servers' fabric");
      for (const Address address : router.addresses) claim_address(address, router.host);
    }
  }

  const Site& site_;
  std::vector<Finding> findings_;
  std::set<std::string> names_;
  std::map<Address, std::string> addresses_;
  std::map<Nid, std::string> nids_;
};

class PlanCheck {
 public:
  PlanCheck(const Planned& planned, const CheckLimits& limits)
      : planned_(planned), plan_(planned.plan()), limits_(limits) {}

  std::vector<Finding> run() {
    look_at_nets();
    for (const ClientSystem& clients : plan_.site.clients) look_at_patterns(clients);
    for (const Group& group : plan_.groups) look_at_group(group);
    look_at_sides();
    for (std::size_t i = 0; i < planned_.hosts().size(); ++i) look_at_host(i);
    look_at_parameters();
    return std::move(findings_);
  }

 private:
  Finding& add(Rule rule, std::string where, const std::string& subject, std::string what) {
    return findings_.emplace_back(make_finding(rule, std::move(where), subject, std::move(what)));
  }
  const std::string& name_of(const Group& group) const {
    return plan_.site.file_systems[group.file_system].name;
  }

  /// Finds nets with two owners. If two owners share several nets, they are reported once.
  void look_at_nets() {
    std::map<NetId, std::string> owners;
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> shared;
    const auto claim = [&](NetId net, const std::string& owner) {
      const auto [at, fresh] = owners.emplace(net, owner);
      if (!fresh) shared[{owner, at->second}].push_back(net.to_string());
    };
    for (const ClientSystem& clients : plan_.site.clients) claim(clients.net, clients.name);
    for (const Group& group : plan_.groups) claim(group.net, name_of(group));
    for (const auto& [both, nets] : shared)
      add(Rule::kNetsOverlap, both.first, both.first,
          fmt::format("{} has the net{} of {}: {}", both.first, nets.size() == 1 ? "" : "s",
                      both.second, list_of(nets)));
  }

  /// Finds servers, and routers on their fabric, with addresses that match the pattern of clients.
  void look_at_patterns(const ClientSystem& clients) {
    std::vector<std::string> names;
    const auto own = planned_.of_kind(HostConfig::Kind::kClients,
                                      static_cast<std::size_t>(&clients - &plan_.site.clients[0]));
    for (const PlannedHost& host : planned_.hosts()) {
      const auto inside = [&](const std::pair<NetId, std::size_t>& net) {
        const auto& address = host.interfaces[net.second].address;
        return net.first != clients.net && address &&
               std::ranges::any_of(planned_.host(own.front()).interfaces, [&](const auto& each) {
                 return each.pattern.matches(Nid::small({NetType::kTcp, 0}, *address));
               });
      };
      if (!host.clients() && std::ranges::any_of(host.nets, inside))
        names.push_back(host.config.host);
    }
    if (!names.empty())
      add(Rule::kPatternMatchesOthers, clients.name, clients.name,
          fmt::format("the clients' pattern '{}' also matches addresses on the servers' fabric: {}",
                      clients.addresses, list_of(names)))
          .hint = "Write 'addresses' so that it matches only the clients of " + clients.name + ".";
  }

  void look_at_group(const Group& group) {
    const std::string where = fmt::format("{}, group {:03}", name_of(group), group.suffix);
    bool any = false;
    for (std::size_t client = 0; client < group.routers.size(); ++client) {
      const GroupRouters& routers = group.routers[client];
      if (routers.primary.empty()) continue;
      any = true;
      if (plan_.surplus_of(group, client) < -kRounding)
        add(Rule::kBandwidth, where, name_of(group),
            rates_text(plan_, client, group.file_system, group.at_switch, routers.primary.size(),
                       plan_.carried_by(group, client), plan_.osss_of(group),
                       plan_.peak_of(group, client)));
    }
    // A file system that no clients have routers to is reported once.
    if (!any && (group.suffix == 0))
      add(Rule::kNoRouters, where, name_of(group), "no router of any clients leads to it");
  }

  /// Finds groups whose switch also has OSSs of the other side.
  void look_at_sides() {
    std::map<std::pair<std::size_t, std::string>, const Group*> sides;
    std::set<std::pair<std::size_t, std::string>> reported;
    for (const Group& group : plan_.groups) {
      const FileSystem& system = plan_.site.file_systems[group.file_system];
      if (system.layout != FileSystem::Layout::kSides || group.suffix == 0) continue;
      const std::pair key(group.file_system, group.at_switch);
      const auto [at, fresh] = sides.emplace(key, &group);
      if (fresh || at->second->suffix % 2 == group.suffix % 2 || !reported.insert(key).second)
        continue;
      Finding& made = add(
          Rule::kWrongParity, fmt::format("{}, group {:03}", system.name, group.suffix),
          system.servers[group.servers.front()].host,
          fmt::format("its OSSs are at switch {} as those of group {:03}, which are of the other "
                      "side",
                      group.at_switch, at->second->suffix));
      made.severity = Severity::kWarning;
      made.hint = "Correct the switch, or say 'groups by: switches' if both sides share it.";
    }
  }

  void look_at_host(std::size_t number) {
    const HostConfig& config = planned_.host(number).config;
    // Routers have the same routes as their clients, so the finding about the clients is enough.
    if (config.routes.size() > limits_.routes && config.kind != HostConfig::Kind::kRouter)
      add(Rule::kTooManyRoutes, config.host, config.host,
          fmt::format("{} would have {} routes, and {} are the most", words_for(planned_, number),
                      config.routes.size(), limits_.routes));
    if (config.nets.size() > limits_.nets)
      add(Rule::kTooManyNets, config.host, config.host,
          fmt::format("{} would be on {} nets, and {} are the most", words_for(planned_, number),
                      config.nets.size(), limits_.nets));
  }

  /// Long parameters are only a note, because the plan also has another configuration for these
  /// hosts.
  void look_at_parameters() {
    for (const LongParameter& each : long_parameters(plan_, ListForm::kShort, limits_.parameter)) {
      const std::string& system = each.kind == HostConfig::Kind::kServer
                                      ? plan_.site.file_systems[each.system].name
                                      : plan_.site.clients[each.system].name;
      Finding& made =
          add(Rule::kLongParameter, each.file, system,
              fmt::format("the shortest text of {}= has {} bytes, and {} are the most of a module "
                          "parameter",
                          each.parameter.name, each.parameter.bytes, limits_.parameter));
      made.severity = Severity::kNote;
      made.hint = "Configure these hosts with 'lnetctl import' of " + each.instead + ".";
    }
  }

  const Planned& planned_;
  const Plan& plan_;
  const CheckLimits& limits_;
  std::vector<Finding> findings_;
};

}  // namespace

Finding& add_finding(std::vector<Finding>& out, const Actual& file, Rule rule, conf::Place place,
                     std::string what) {
  Finding finding = make_finding(rule, {}, {}, std::move(what));
  finding.file = file.file;
  finding.place = place;
  return out.emplace_back(std::move(finding));
}

std::vector<Finding> check_site(const Site& site, std::span<const Finding> problems) {
  return SiteCheck(site).run(problems);
}

std::vector<Finding> check_plan(const Planned& planned, const CheckLimits& limits) {
  return PlanCheck(planned, limits).run();
}

}  // namespace ulnet::plan
