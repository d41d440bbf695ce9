#include "fgr/plan/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fgr/plan/planned.h"

namespace ulnet::plan {
namespace {

/// A file system in Site::file_systems, and its own name of a switch or a rack; or kShared.
using Own = std::pair<std::size_t, std::string>;
constexpr std::size_t kShared = SIZE_MAX;

class Switches {
 public:
  explicit Switches(Site& site) : site_(site) {
    for (const Switch& each : site.switches) shared_.insert(each.name);
  }

  std::vector<Finding> settle() {
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i)
      for (const Server& server : site_.file_systems[i].servers) add_server(i, server);
    own_ = switches_;
    for (const ClientSystem& clients : site_.clients)
      for (const Router& router : clients.routers) add_router(router);
    // Where hosts lack a switch, other switches look misspelt or unused, so only these hosts are
    // reported.
    if (!without_.empty()) return {hosts_without_switch()};
    look_for_lone_servers();
    look_for_unused();
    if (problems_.empty()) rename();
    return std::move(problems_);
  }

 private:
  const FileSystem& system(std::size_t number) const { return site_.file_systems[number]; }

  void problem(std::string where, std::string what, const std::string& host) {
    if (!reported_.insert(where).second) return;
    problems_.push_back(
        make_finding(Rule::kUnknownSwitch, std::move(where), host, std::move(what)));
  }

  /// In the file system home, "home/left0" becomes left0.
  std::string within(std::size_t number, const std::string& name) const {
    const std::string before = system(number).name + "/";
    return name.starts_with(before) ? name.substr(before.size()) : name;
  }
  /// A shared switch may be called "home/left0". The file system home may then write left0.
  Own own(std::size_t number, const std::string& name) const {
    if (shared_.contains(name)) return {kShared, name};
    const std::string own = within(number, name);
    const std::string full = system(number).name + "/" + own;
    return shared_.contains(full) ? Own(kShared, full) : Own(number, own);
  }

  void add_server(std::size_t number, const Server& server) {
    racks_[within(number, server.rack)].insert(number);
    if (server.at_switch.empty() && !system(number).flat()) without_.push_back(server.host);
    if (server.at_switch.empty()) return;
    const Own at = own(number, server.at_switch);
    for (const FileSystem& other : site_.file_systems)
      if (at.first == number && at.second.starts_with(other.name + "/"))
        problem(place_of(number, at.second),
                fmt::format("{} has a switch of another file system: declare it in "
                            "'switches' if they share it",
                            server.host),
                server.host);
    ++switches_[at];
    owners_[within(number, server.at_switch)].insert(number);
    only_.emplace(at, &server);
  }

  void add_router(const Router& router) {
    if (router.at_switch.empty()) return without_.push_back(router.host);
    if (const auto at = switch_of(router)) {
      ++switches_[*at];
      if (at->first != kShared) owners_[at->second].insert(at->first);
      return;
    }
    std::vector<std::string> names;
    std::vector<std::string_view> near;
    bool several = false;
    for (const std::size_t each : router.file_systems) {
      names.push_back(system(each).name);
      several = several || own_.contains(own(each, router.at_switch));
    }
    for (const auto& [at, hosts] : own_)
      if (router.leads_to(at.first)) near.push_back(at.second);
    std::string typed = router.at_switch;
    if (router.file_systems.size() == 1) typed = within(router.file_systems.front(), typed);
    near.insert(near.end(), shared_.begin(), shared_.end());
    const std::string all = fmt::format("{}", fmt::join(names, " and "));
    const std::string where = fmt::format("{}, switch {}", all, router.at_switch);
    if (several)
      return problem(where,
                     fmt::format("{} have a switch of that name each: say which, as '{}/{}', or "
                                 "declare it in 'switches' if it is one",
                                 all, names.front(), router.at_switch),
                     router.host);
    problem(where,
            fmt::format("no server of {} is plugged into it, and 'switches' does not have it{}",
                        all, suggestion(typed, near)),
            router.host);
  }

  /// Finds the switch that the router names. Nothing: the switch is unknown, or the name is
  /// ambiguous.
  std::optional<Own> switch_of(const Router& router) const {
    std::optional<Own> found;
    bool any = false;  // whether a server of its file systems names a switch
    for (const std::size_t each : router.file_systems) {
      const Own at = own(each, router.at_switch);
      if (at.first == kShared) return at;
      any = any || std::ranges::any_of(system(each).servers, [](const Server& server) {
              return !server.at_switch.empty();
            });
      if (!own_.contains(at)) continue;
      if (found) return std::nullopt;
      found = at;
    }
    if (found || any) return found;
    return own(router.file_systems.front(), router.at_switch);
  }

  /// Reports servers that are alone at a switch, because groups are made of the servers at a
  /// switch. A flat file system is left out: there the name matters less.
  void look_for_lone_servers() {
    for (const auto& [at, hosts] : switches_) {
      if (hosts != 1 || at.first == kShared || system(at.first).flat()) continue;
      const auto only = only_.find(at);
      if (only == only_.end()) continue;
      std::vector<std::string_view> near;
      for (const auto& [other, count] : switches_)
        if (other != at && (other.first == at.first || other.first == kShared))
          near.push_back(other.second);
      problem(place_of(at.first, at.second),
              fmt::format("only {} is plugged into it, and 'switches' does not have it{}",
                          only->second->host, suggestion(at.second, near)),
              only->second->host);
    }
  }

  /// Reports all hosts without a switch in one problem: most likely the user forgot the fabric.
  Finding hosts_without_switch() const {
    const std::string& host = without_.front();
    const std::size_t others = without_.size() - 1;
    const std::string too = others == 0   ? ""
                            : others == 1 ? ", nor has 1 other host"
                                          : fmt::format(", nor have {} others", others);
    return make_finding(Rule::kMissingSwitch, host, host, "it has no 'switch'" + too);
  }

  /// A member of 'switches' without a host is misspelt if another switch has a similar name.
  void look_for_unused() {
    std::vector<std::string_view> near;
    for (const auto& [at, hosts] : switches_) near.push_back(at.second);
    for (const std::string& name : shared_) {
      if (switches_.contains(Own(kShared, name))) continue;
      const std::string meant = suggestion(name, near);
      if (meant.empty()) continue;
      problem("switches, " + name, "no host is plugged into it" + meant, name);
      problems_.back().hint = "Correct its name, or leave it out of 'switches'.";
    }
  }

  std::string place_of(std::size_t number, const std::string& name) const {
    return fmt::format("{}, switch {}", system(number).name, name);
  }

  using Owners = std::map<std::string, std::set<std::size_t>>;  ///< file systems, by their name

  std::string name_of(const Own& at, const Owners& owners) const {
    const auto& [number, name] = at;
    return number == kShared || name.empty() || owners.at(name).size() == 1
               ? name
               : system(number).name + "/" + name;
  }

  void rename() {
    for (ClientSystem& clients : site_.clients)
      for (Router& router : clients.routers)
        router.at_switch = name_of(*switch_of(router), owners_);
    for (std::size_t i = 0; i < site_.file_systems.size(); ++i)
      for (Server& server : site_.file_systems[i].servers) {
        server.at_switch = name_of(own(i, server.at_switch), owners_);
        server.rack = name_of({i, within(i, server.rack)}, racks_);
      }
  }

  Site& site_;
  std::vector<Finding> problems_;
  std::set<std::string> reported_;
  std::vector<std::string> without_;  ///< hosts that name no switch
  std::set<std::string, std::less<>> shared_;
  /// number of hosts that name it: in own_ servers only, in switches_ all
  std::map<Own, std::size_t> own_, switches_;
  std::map<Own, const Server*> only_;  ///< the first server that names the switch
  Owners owners_, racks_;
};

}  // namespace

std::vector<Finding> settle_switches(Site& site) { return Switches(site).settle(); }

}  // namespace ulnet::plan
