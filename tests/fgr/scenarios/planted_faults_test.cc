// Random sites with one fault in the files of their hosts: the rule of the fault finds it, and no
// rule reports anything else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "fgr/check/check.h"
#include "fgr/existing/existing_files.h"
#include "fgr/existing/read_actual.h"
#include "fgr/plan/options.h"
#include "lnet/base/sanitizers_fixture.h"
#include "tests/fgr/scenarios/random_site.h"

namespace ulnet::plan {
namespace {

constexpr std::uint64_t kSites = kAddressSanitizer ? 30 : 1000;

/// A file of the faulty host, and the rule that has to find its fault.
struct Faulty {
  std::string path, text;
  Rule rule;
};

class Faults {
 public:
  Faults(const Planned& planned, std::uint64_t seed) : planned_(planned), rng_(seed) {}

  using Plant = std::optional<Faulty> (Faults::*)();

  /// A net that no host of the plan lacks, and whose address or number no host has.
  static constexpr NetId kNetOfNobody = {NetType::kTcp, 999};
  static constexpr Address kNobody = 10U << 24 | 99U << 16 | 9;

  std::optional<Faulty> missing_net() {
    HostConfig config = drawn(false);
    const std::size_t at = rng_.below(config.nets.size());
    config.nets.erase(config.nets.begin() + static_cast<std::ptrdiff_t>(at));
    return as_lnetctl(config, Rule::kMissingNet);
  }

  std::optional<Faulty> unplanned_net() {
    HostConfig config = drawn(false);
    config.nets.push_back({kNetOfNobody, config.nets.back().addresses});
    return as_lnetctl(config, Rule::kUnplannedNet);
  }

  std::optional<Faulty> server_in_another_group() {
    HostConfig config = drawn(false);
    const auto& groups = planned_.plan().groups;
    const Group& other = groups[rng_.below(groups.size())];
    if (config.kind != HostConfig::Kind::kServer || config.nets.front().net == other.net)
      return std::nullopt;
    const Group& own = *planned_.group_of(config.nets.front().net);
    config.nets.front().net = other.net;
    const FileSystem& system = planned_.plan().site.file_systems[config.system];
    Rule rule = Rule::kUnplannedNet;
    if (own.file_system == other.file_system && own.suffix != 0 && other.suffix != 0) {
      const bool sides = system.layout == FileSystem::Layout::kSides;
      if (sides && own.suffix % 2 != other.suffix % 2)
        rule = Rule::kWrongParity;
      else if (own.at_switch != other.at_switch)
        rule = Rule::kOtherSwitch;
    } else if (own.file_system == other.file_system && other.suffix != 0 &&
               system.servers[config.number].at_switch != other.at_switch) {
      rule = Rule::kOtherSwitch;  // the own server is the MGS or the MDS
    }
    return as_lnetctl(config, rule);
  }

  std::optional<Faulty> missing_route() {
    HostConfig config = drawn(true);
    if (config.routes.size() < 2) return std::nullopt;
    config.routes.erase(config.routes.begin() +
                        static_cast<std::ptrdiff_t>(rng_.below(config.routes.size())));
    return in_either_form(config, Rule::kMissingRoute);
  }

  std::optional<Faulty> unplanned_route() {
    HostConfig config = drawn(true);
    if (config.routes.empty()) return std::nullopt;
    config.routes.push_back({kNetOfNobody, 1, config.routes.front().gateway});
    return in_either_form(config, Rule::kUnplannedRoute);
  }

  std::optional<Faulty> wrong_hops() {
    HostConfig config = drawn(true);
    if (config.routes.empty()) return std::nullopt;
    const std::size_t at = rng_.below(config.routes.size());
    HostRoute& route = config.routes[at];
    const int planned = route.hops;
    // other routes to the same net through the same net
    std::size_t primaries = 0, secondaries = 0;
    for (std::size_t i = 0; i < config.routes.size(); ++i)
      if (const HostRoute& other = config.routes[i];
          i != at && other.net == route.net && other.gateway.net() == route.gateway.net())
        ++(other.hops == 1 ? primaries : secondaries);
    route.hops = planned == 1 ? 3 : (rng_.below(2) == 0 ? 1 : 4);
    const bool wrong = planned == 1 ? primaries + secondaries > 0 : route.hops == 1;
    return in_either_form(config, wrong ? Rule::kSecondaryFirst : Rule::kOtherHops);
  }

  std::optional<Faulty> gateway_of_nobody() {
    HostConfig config = drawn(true);
    if (config.routes.empty()) return std::nullopt;
    HostRoute& route = config.routes[rng_.below(config.routes.size())];
    route.gateway = Nid::small(route.gateway.net(), kNobody);
    return in_either_form(config, Rule::kUnknownNid);
  }

  std::optional<Faulty> router_that_does_not_route() {
    const HostConfig config = drawn(false);
    if (config.kind != HostConfig::Kind::kRouter) return std::nullopt;
    Faulty made = *as_lnetctl(config, Rule::kNotRouting);
    made.text.replace(made.text.find("enable: 1"), 9, "enable: 0");
    return made;
  }

  std::optional<Faulty> address_of_another() {
    const HostConfig config = drawn(false), other = drawn(false);
    if (config.kind != HostConfig::Kind::kServer || other.kind != HostConfig::Kind::kServer ||
        config.host == other.host)
      return std::nullopt;
    std::string text = "net:\n";
    for (const HostNet& net : config.nets)
      text += fmt::format("    - net type: {0}\n      local NI(s):\n        - nid: {1}@{0}\n",
                          net.net.to_string(), other.nets.front().addresses.front());
    const std::string planned = lnetctl_yaml(config);
    if (const std::size_t at = planned.find("route:"); at != std::string::npos)
      text += planned.substr(at);
    return Faulty{path_of(config, "lnetctl", "yaml"), text, Rule::kDuplicateAddress};
  }

  std::optional<Faulty> pattern_that_matches_others() {
    const std::size_t system = rng_.below(planned_.plan().site.file_systems.size());
    const Group* group = nullptr;
    for (const Group& each : planned_.plan().groups)
      if (each.file_system == system) group = &each;
    const bool outsiders = std::ranges::any_of(planned_.hosts(), [&](const PlannedHost& host) {
      return !host.clients() && !host.has(group->net) &&
             (host.router() ? host.nets.size() > 1 : host.config.system != system);
    });
    if (!outsiders) return std::nullopt;
    Faulty made = options(HostConfig::Kind::kServer, system, Rule::kPatternMatchesOthers);
    replace_entry(made.text, group->net.to_string() + ' ', "10.10.*.*");
    return made;
  }

  /// Removes a router's own fabric address: an entry of 'ip2nets' names another address.
  std::optional<Faulty> router_out_of_its_group() {
    const HostConfig config = drawn(false);
    if (config.kind != HostConfig::Kind::kRouter || config.nets.size() < 2) return std::nullopt;
    HostConfig cut = config;
    cut.nets.back().addresses = {"10.99.0.9"};
    return as_lnetctl(cut, Rule::kMissingNet);
  }

  std::optional<Faulty> file_of_nobody() {
    const HostConfig config = drawn(false);
    return Faulty{"routes/nobody.routes", routes_text(config), Rule::kUnknownHost};
  }

 private:
  HostConfig drawn(bool with_clients) {
    for (;;) {
      const PlannedHost& host = planned_.host(rng_.below(planned_.hosts().size()));
      if (with_clients || !host.clients()) return host.config;
    }
  }

  static std::string path_of(const HostConfig& config, const char* folder, const char* ending) {
    return fmt::format("{}/{}{}.{}", folder,
                       config.kind == HostConfig::Kind::kClients ? "clients-" : "", config.host,
                       ending);
  }
  static std::optional<Faulty> as_lnetctl(const HostConfig& config, Rule rule) {
    return Faulty{path_of(config, "lnetctl", "yaml"), lnetctl_yaml(config), rule};
  }
  std::optional<Faulty> in_either_form(const HostConfig& config, Rule rule) {
    if (rng_.below(2) == 0) return as_lnetctl(config, rule);
    return Faulty{path_of(config, "routes", "routes"), routes_text(config), rule};
  }
  Faulty options(HostConfig::Kind kind, std::size_t system, Rule rule) {
    return {fmt::format("modprobe/servers-{}.conf", planned_.plan().site.file_systems[system].name),
            options_of(planned_.plan(), kind, system, ListForm::kWrittenOut).text(), rule};
  }
  /// Replaces the text after the word, up to the end of the entry.
  static void replace_entry(std::string& text, const std::string& word, const std::string& by) {
    const std::size_t begin = text.find(word) + word.size();
    text.replace(begin, text.find_first_of(";\"", begin) - begin, by);
  }

  const Planned& planned_;
  Rng rng_;
};

constexpr Faults::Plant kFaults[] = {&Faults::missing_net,
                                     &Faults::unplanned_net,
                                     &Faults::server_in_another_group,
                                     &Faults::missing_route,
                                     &Faults::unplanned_route,
                                     &Faults::wrong_hops,
                                     &Faults::gateway_of_nobody,
                                     &Faults::router_that_does_not_route,
                                     &Faults::address_of_another,
                                     &Faults::pattern_that_matches_others,
                                     &Faults::router_out_of_its_group,
                                     &Faults::file_of_nobody};

Actual read(const Planned& planned, const std::string& path, const std::string& text) {
  auto actual = tools::fgr::check_text(path, text);
  EXPECT_TRUE(actual) << path << ": " << actual.error().reason << '\n' << text;
  if (!actual) return {};
  actual->hosts = tools::fgr::hosts_of(planned, path, *actual);
  actual->shared = actual->shared || actual->hosts.size() > 1;
  return std::move(*actual);
}

std::string description(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += fmt::format("{}:{} {} {}\n", finding.file, finding.place.line,
                        info_of(finding.rule).name, finding.reason);
  return text;
}

TEST(PlantedFaults, AreFoundInRandomSitesAndNothingElse) {
  std::map<Rule, std::size_t> planted;
  for (std::uint64_t seed = 1; seed <= kSites && !HasFailure(); ++seed) {
    const auto plan = make_plan(RandomSite(seed).make());
    ASSERT_TRUE(plan) << "seed " << seed;
    const Planned planned(*plan);
    Faults faults(planned, seed);
    // Some hosts cannot have a fault: a router has no routes where its site has one group.
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t kind = (seed + 5 * i) % std::size(kFaults);
      SCOPED_TRACE(fmt::format("seed {}, fault {}", seed, kind));
      const auto faulty = (faults.*kFaults[kind])();
      if (!faulty) continue;
      ++planted[faulty->rule];
      const Actual files[] = {read(planned, faulty->path, faulty->text)};
      const auto findings = check_files(planned, files, {.parameter = 1'000'000});
      EXPECT_TRUE(findings.size() == 1 && findings.front().rule == faulty->rule)
          << info_of(faulty->rule).name << " is planted in " << faulty->path << ":\n"
          << faulty->text << "found:\n"
          << description(findings);
    }
  }
  for (const Rule rule :
       {Rule::kMissingNet, Rule::kUnplannedNet, Rule::kWrongParity, Rule::kOtherSwitch,
        Rule::kMissingRoute, Rule::kUnplannedRoute, Rule::kSecondaryFirst, Rule::kOtherHops,
        Rule::kUnknownNid, Rule::kNotRouting, Rule::kDuplicateAddress, Rule::kPatternMatchesOthers,
        Rule::kUnknownHost})
    EXPECT_GE(planted[rule], kAddressSanitizer ? 0U : 5U) << info_of(rule).name;
}

// A host lacks a route that the other side has, and the files of both sides are given: the check
// names that host.
TEST(PlantedFaults, ARouteOfOneSideOnlyIsFoundAndNothingElse) {
  std::size_t planted = 0;
  for (std::uint64_t seed = 1; seed <= kSites && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto plan = make_plan(RandomSite(seed).make());
    ASSERT_TRUE(plan);
    const Planned planned(*plan);
    Rng rng(seed);
    std::vector<Actual> files;
    const std::size_t faulty = rng.below(planned.hosts().size());
    for (std::size_t i = 0; i < planned.hosts().size(); ++i) {
      HostConfig config = planned.host(i).config;
      if (config.kind == HostConfig::Kind::kRouter) continue;
      if (i == faulty && config.routes.size() > 1) {
        config.routes.erase(config.routes.begin() +
                            static_cast<std::ptrdiff_t>(rng.below(config.routes.size())));
        ++planted;
      }
      files.push_back(read(
          planned,
          (config.kind == HostConfig::Kind::kClients ? "clients-" : "") + config.host + ".routes",
          routes_text(config)));
    }
    const auto findings = check_files(planned, files);
    const HostConfig& config = planned.host(faulty).config;
    const bool lacks = config.kind != HostConfig::Kind::kRouter && config.routes.size() > 1;
    EXPECT_EQ(findings.size(), lacks ? 1U : 0U) << description(findings);
    if (lacks && !findings.empty()) {
      EXPECT_EQ(findings.front().rule, Rule::kOneSidedRoute) << description(findings);
    }
  }
  EXPECT_GT(planted, kSites / 10);
}

TEST(PlantedFaults, ExchangedFilesAccuseTheirTwoHosts) {
  std::size_t planted = 0;
  for (std::uint64_t seed = 1; seed <= kSites && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto plan = make_plan(RandomSite(seed).make());
    ASSERT_TRUE(plan);
    const Planned planned(*plan);
    Rng rng(seed);
    const HostConfig one = planned.host(rng.below(planned.hosts().size())).config;
    const HostConfig other = planned.host(rng.below(planned.hosts().size())).config;
    if (one.kind == HostConfig::Kind::kClients || one.kind != other.kind) continue;
    // equal, for example, for routers on no group's net
    if (lnetctl_yaml(one) == lnetctl_yaml(other)) continue;
    ++planted;
    const Actual files[] = {read(planned, "lnetctl/" + one.host + ".yaml", lnetctl_yaml(other)),
                            read(planned, "lnetctl/" + other.host + ".yaml", lnetctl_yaml(one))};
    const auto findings = check_files(planned, files);
    for (const Actual& file : files)
      EXPECT_TRUE(std::ranges::any_of(findings,
                                      [&](const Finding& finding) {
                                        return finding.file == file.file &&
                                               finding.severity == Severity::kError;
                                      }))
          << file.file << "\n"
          << description(findings);
  }
  EXPECT_GT(planted, kSites / 10);
}

}  // namespace
}  // namespace ulnet::plan
