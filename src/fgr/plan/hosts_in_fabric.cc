#include "fgr/plan/hosts_in_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "fgr/plan/planned.h"
#include "lnet/base/text.h"

namespace ulnet::plan {
namespace {

/// Splits into words of letters, digits, '-', '_' and '.', in lower case.
std::vector<std::string> words_in(std::string_view description) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text::lower(description)) {
    const bool part =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (part)
      word += c;
    else
      end_word();
  }
  end_word();
  return words;
}

/// Returns the words of words_in(), each followed by its part before the first '.'.
std::vector<std::string> names_in(std::string_view description) {
  std::vector<std::string> names;
  for (const std::string& word : words_in(description))
    names.insert(names.end(), {word, word.substr(0, word.find('.'))});
  return names;
}

/// Only the first cables of a host count, because a text may have any number.
constexpr std::size_t kMaxCablesOfHost = 16;

/// A router or a server.
struct Host {
  std::string name;
  std::string at;  ///< its switch, by its unique name; empty: not given
  Guid guid = 0;
  std::size_t addresses = 0;  ///< number of addresses on the servers' fabric: each has a cable
  std::vector<const FabricLink*> links;
};

/// Calls `visit` for all routers, then all servers, in the order of the site, with the host and its
/// file systems.
template <class SiteLike, class Visit>
void each_host(SiteLike& site, Visit&& visit) {
  for (auto& clients : site.clients)
    for (auto& router : clients.routers) visit(router, router.file_systems);
  for (std::size_t i = 0; i < site.file_systems.size(); ++i)
    for (auto& server : site.file_systems[i].servers) visit(server, std::vector<std::size_t>{i});
}

class HostsInFabric {
 public:
  HostsInFabric(const Site& site, const Fabric& fabric) : site_(site), fabric_(fabric) {
    for (const Switch& each : site.switches) declared_.insert(each.name);
    for (const auto& [guid, description] : fabric.switches) ++descriptions_[description];
    list_hosts();
    find_hosts();
    name_switches();
  }

  std::span<const Host> hosts() const { return hosts_; }
  /// Whether the fabric contains none of the site's hosts.
  bool is_another_site() const {
    return !hosts_.empty() &&
           std::ranges::all_of(hosts_, [](const Host& host) { return host.links.empty(); });
  }
  /// Returns the site's unique name of a switch; empty: the site does not know the switch.
  std::string site_name_of(Guid guid) const {
    const auto found = names_.find(guid_text(guid));
    return found == names_.end() || found->second == found->first ? "" : found->second;
  }
  /// Returns the name of a switch that the site does not know.
  std::string fabric_name_of(Guid guid) const {
    const std::string& description = fabric_.switches.at(guid);
    return is_default_name(description) || descriptions_.at(description) != 1 ? guid_text(guid)
                                                                              : description;
  }
  /// Whether all hosts at this switch are planned at switches that are elsewhere in the fabric.
  bool is_foreign_guid(Guid guid) const {
    const auto found = names_.find(guid_text(guid));
    return found != names_.end() && found->second == found->first;
  }
  /// Returns the name of the switch as hosts of the site write it.
  std::string written(const std::string& name) const {
    const auto found = written_.find(name);
    return found == written_.end() ? name : found->second;
  }
  /// Returns "0002c90300a10010 (at left0 port 4)", for adapters with the vendor's default name.
  std::vector<std::string> nameless_adapters() const {
    std::vector<std::string> list;
    for (const auto& [guid, description] : fabric_.adapters) {
      if (owners_.contains(guid) || !is_default_name(description)) continue;
      const auto link = std::ranges::lower_bound(fabric_.links, guid, {}, &FabricLink::adapter);
      std::string place;
      if (link != fabric_.links.end() && link->adapter == guid) {
        const std::string name = site_name_of(link->to_switch);
        place = fmt::format(" at {} port {}",
                            name.empty() ? fabric_name_of(link->to_switch) : written(name),
                            link->switch_port);
      }
      list.push_back(guid_text(guid) + place);
    }
    return list;
  }

 private:
  bool declared(const std::string& name) const { return declared_.contains(name); }
  /// Returns the unique name of a switch: "left0" of home becomes "home/left0", unless the site
  /// declares one of these names.
  std::string full_name(const std::vector<std::size_t>& systems, const std::string& name) const {
    if (name.empty() || declared(name)) return name;
    std::string first;
    for (const std::size_t each : systems) {
      const std::string before = site_.file_systems[each].name + "/";
      if (name.starts_with(before)) return name;
      if (at_of_servers_.contains(before + name) || declared(before + name)) return before + name;
      if (first.empty()) first = before + name;
    }
    const bool other = std::ranges::any_of(site_.file_systems, [&](const FileSystem& system) {
      return name.starts_with(system.name + "/");
    });
    return other ? name : first;
  }

  void list_hosts() {
    for (const FileSystem& system : site_.file_systems)
      for (const Server& server : system.servers) {
        const std::string before = system.name + "/";
        at_of_servers_.insert((server.at_switch.starts_with(before) ? "" : before) +
                              server.at_switch);
      }
    each_host(site_, [&](const auto& host, const std::vector<std::size_t>& systems) {
      std::size_t addresses = 1;
      if constexpr (requires { host.addresses; }) addresses = host.addresses.size();
      const std::string full = full_name(systems, host.at_switch);
      if (!full.empty()) written_.emplace(full, host.at_switch);
      by_name_.emplace(text::lower(host.host), hosts_.size());
      if (host.guid != 0) by_guid_.emplace(host.guid, hosts_.size());
      hosts_.push_back({host.host, full, host.guid, addresses, {}});
    });
  }

  void find_hosts() {
    for (const auto& [guid, description] : fabric_.adapters)
      if (const auto host = owner_of(guid, description)) owners_.emplace(guid, *host);
    for (const FabricLink& link : fabric_.links)
      if (const auto owner = owners_.find(link.adapter); owner != owners_.end())
        if (auto& links = hosts_[owner->second].links; links.size() < kMaxCablesOfHost)
          links.push_back(&link);
  }
  std::optional<std::size_t> owner_of(Guid guid, const std::string& description) const {
    if (const auto found = by_guid_.find(guid); found != by_guid_.end()) return found->second;
    for (const std::string& name : names_in(description))
      if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
    return std::nullopt;
  }

  /// Returns the words, in lower case, that the site's hosts or 'switches' use for switches. Each
  /// word has the switch names that it stands for.
  std::map<std::string, std::set<std::string>> words_for_switches() const {
    std::map<std::string, std::set<std::string>> words;
    const auto add = [&](std::string_view word, const std::string& name) {
      if (!word.empty()) words[text::lower(word)].insert(name);
    };
    for (const auto& [name, as_written] : written_) {
      add(name, name);
      for (const FileSystem& system : site_.file_systems)
        if (name.starts_with(system.name + "/")) add(name.substr(system.name.size() + 1), name);
    }
    for (const Switch& each : site_.switches) {
      add(each.name, each.name);
      add(each.description, each.name);
    }
    return words;
  }

  /// Returns the only name that the description stands for; empty: it stands for no name, or for
  /// several.
  std::string described(Guid guid, const std::map<std::string, std::set<std::string>>& all) const {
    const auto own = std::ranges::find(site_.switches, guid, &Switch::guid);
    if (own != site_.switches.end()) return own->name;
    std::vector<std::string> words = {text::lower(fabric_.switches.at(guid))};
    for (std::string& name : names_in(words.front())) words.push_back(std::move(name));
    for (const char* before : {"", "s-", "0x"}) words.push_back(before + guid_text(guid));
    for (const std::string& word : words)
      if (const auto found = all.find(word); found != all.end())
        return found->second.size() == 1 ? *found->second.begin() : "";
    return {};
  }

  void name_switches() {
    const auto words = words_for_switches();
    std::map<Guid, std::string> names;
    for (const auto& [guid, description] : fabric_.switches)
      names.emplace(guid, described(guid, words));
    std::map<std::string, std::string> planned;
    std::vector<SeenCable> cables;
    for (const Host& host : hosts_) {
      planned.emplace(host.name, host.at);
      for (const FabricLink* link : host.links)
        cables.push_back({.host = host.name,
                          .guid = {},
                          .switch_guid = guid_text(link->to_switch),
                          .switch_name = names.at(link->to_switch),
                          .rate = {}});
    }
    names_ = switch_names(cables, planned);
  }

  const Site& site_;
  const Fabric& fabric_;
  std::vector<Host> hosts_;
  std::set<std::string> declared_;                   ///< names of Site::switches
  std::map<std::string, std::size_t> descriptions_;  ///< number of switches with each description
  std::set<std::string> at_of_servers_;              ///< switches, with their file systems
  /// by a switch's full name: the name that hosts use
  std::map<std::string, std::string> written_;
  std::map<std::string, std::size_t> by_name_;  ///< in hosts_
  std::map<Guid, std::size_t> by_guid_, owners_;
  std::map<std::string, std::string> names_;  ///< by a switch's GUID: switch_names()
};

Finding not_found(const Host& host, std::string what, std::string cure) {
  return make_finding(Rule::kMissingSwitch, host.name, host.name, std::move(what), std::move(cure));
}

Finding of_the_fabric(Rule rule, std::string what) {
  return make_finding(rule, std::string(kTheFabric), {}, std::move(what));
}

/// Checks whether the text is complete, and belongs to this site.
std::vector<Finding> look_at_text(const HostsInFabric& found, const Fabric& fabric) {
  std::vector<Finding> problems;
  std::vector<std::string> why;
  if (fabric.one_sided != 0)
    why.push_back(fmt::format("{} link{} at one end only", fabric.one_sided,
                              fabric.one_sided == 1 ? " is" : "s are"));
  if (fabric.not_understood != 0)
    why.push_back(fmt::format("{} line{} not understood", fabric.not_understood,
                              fabric.not_understood == 1 ? " is" : "s are"));
  if (fabric.ends_within_line) why.emplace_back("it ends within a line");
  if (!why.empty())
    problems.push_back(of_the_fabric(
        Rule::kCutFabric, fmt::format("the text is cut or changed: {}", fmt::join(why, ", "))));
  if (found.is_another_site())
    problems.push_back(of_the_fabric(
        Rule::kOtherFabric,
        fmt::format("none of the site's {} routers and servers is among its {} adapters",
                    found.hosts().size(), fabric.adapters.size())));
  return problems;
}

std::vector<Finding> look_at_names(const HostsInFabric& found) {
  const auto nameless = found.nameless_adapters();
  if (nameless.empty()) return {};
  return {of_the_fabric(Rule::kDefaultName,
                        fmt::format("{} adapter{} the vendor's default name: {}", nameless.size(),
                                    nameless.size() == 1 ? " has" : "s have", list_of(nameless)))};
}

/// Gives routers and servers without a switch the switch that they are plugged into. A switch that
/// the site does not know gets its description as its name, and is added to Site::switches. If the
/// description is the vendor's, or another switch has it too, its name is the GUID. Returns the
/// problems: hosts whose switch is not found, or is ambiguous.
std::vector<Finding> find_switches(Site& site, const Fabric& fabric) {
  const HostsInFabric found(site, fabric);
  std::vector<Finding> missing;
  std::map<std::string, Switch> fresh;
  std::size_t index = 0;
  each_host(site, [&](auto& host, const std::vector<std::size_t>& systems) {
    const Host& seen = found.hosts()[index++];
    if (!host.at_switch.empty()) return;
    std::set<std::string> names;
    for (const FabricLink* link : seen.links) {
      std::string name = found.site_name_of(link->to_switch);
      if (name.empty()) {
        name = found.fabric_name_of(link->to_switch);
        fresh.emplace(name,
                      Switch{.name = name, .guid = link->to_switch, .description = {}, .rack = {}});
      }
      names.insert(std::move(name));
    }
    const bool flat = std::ranges::all_of(
        systems, [&](std::size_t each) { return site.file_systems[each].flat(); });
    constexpr bool kServer = std::is_same_v<decltype(host), Server&>;
    if (names.size() == 1)
      host.at_switch = *names.begin();
    else if (names.size() > 1)
      missing.push_back(not_found(seen,
                                  fmt::format("it is plugged into {}", fmt::join(names, " and ")),
                                  "Say in the site file which is meant ('switch')."));
    else if (!kServer || !flat)
      missing.push_back(not_found(seen, "it has no 'switch', and no adapter of it is in the fabric",
                                  std::string(info_of(Rule::kNotInFabric).cure)));
  });
  std::vector<Finding> problems;
  if (!missing.empty()) {
    problems = look_at_text(found, fabric);
    for (Finding& problem : look_at_names(found)) problems.push_back(std::move(problem));
    if (!found.is_another_site()) std::ranges::move(missing, std::back_inserter(problems));
  }
  for (auto& [name, made] : fresh) site.switches.push_back(std::move(made));
  return problems;
}

}  // namespace

bool is_default_name(std::string_view description) {
  const auto words = words_in(description);
  if (words.empty()) return true;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto means_nothing = [&](const std::string& word) {
    for (const char* device : {"hca", "mlx4", "mlx5", "hfi1", "qib", "mthca", "ibp", "u"})
      if (word.starts_with(device) &&
          word.find_first_not_of("-_0123456789", std::string_view(device).size()) == word.npos)
        return true;
    constexpr std::size_t kGuidDigits = 12;
    return word == "localhost" || word == "localhost.localdomain" ||
           (word.size() >= kGuidDigits && parse_guid(word)) ||
           (word.starts_with("0x") && parse_guid(word));
  };
  const bool chip = words.front().starts_with("mt") && words.front().size() > 4 &&
                    std::ranges::all_of(words.front().substr(2), is_digit);
  return chip || std::ranges::find(words, "technologies") != words.end() ||
         std::ranges::all_of(words, means_nothing);
}

tl::expected<Plan, std::vector<Finding>> make_plan(Site site, const Fabric& fabric) {
  if (auto problems = find_switches(site, fabric); !problems.empty())
    return tl::unexpected(std::move(problems));
  auto plan = make_plan(std::move(site));
  if (plan) plan->fabric = see_fabric(*plan, fabric);
  return plan;
}

SeenFabric see_fabric(const Plan& plan, const Fabric& fabric) {
  const HostsInFabric found(plan.site, fabric);
  SeenFabric seen{.cables = {}, .unchecked = look_at_text(found, fabric)};
  std::vector<Finding> missing;
  for (const Host& host : found.hosts()) {
    for (const FabricLink* link : host.links) {
      std::string name = found.written(found.site_name_of(link->to_switch));
      if (found.is_foreign_guid(link->to_switch)) name = found.fabric_name_of(link->to_switch);
      seen.cables.push_back({.host = host.name,
                             .guid = guid_text(link->adapter),
                             .switch_guid = guid_text(link->to_switch),
                             .switch_name = std::move(name),
                             .switch_port = link->switch_port,
                             .adapter_port = link->adapter_port,
                             .rate = link->rate});
    }
    if (host.links.size() >= host.addresses) continue;
    missing.push_back(make_finding(
        Rule::kNotInFabric, host.name, host.name,
        host.links.empty() ? "no adapter of it is in the fabric"
                           : fmt::format("it has {} addresses on the servers' fabric, and {} cable",
                                         host.addresses, host.links.size())));
  }
  if (missing.empty() || found.is_another_site()) return seen;
  std::ranges::move(look_at_names(found), std::back_inserter(seen.unchecked));
  std::ranges::move(missing, std::back_inserter(seen.unchecked));
  return seen;
}

}  // namespace ulnet::plan
