// Random sites: reading a site's text gives the site back, and reading the files that the plan
// writes gives the planned configuration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "fgr/check/check.h"
#include "fgr/existing/difference.h"
#include "fgr/existing/existing_files.h"
#include "fgr/existing/read_actual.h"
#include "fgr/output/output_folder.h"
#include "fgr/plan/outputs.h"
#include "fgr/site/site_file.h"
#include "lnet/base/sanitizers_fixture.h"
#include "lnet/base/temp_folder_fixture.h"
#include "tests/fgr/scenarios/random_site.h"
#include "tests/fgr/scenarios/site_text.h"

namespace ulnet::plan {
namespace {

constexpr std::uint64_t kSites = kAddressSanitizer ? 20 : 1000;

std::string description(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += fmt::format("{}:{} {} {}\n", finding.file, finding.place.line, info_of(finding.rule).id,
                        finding.reason);
  return text;
}

/// For a plan that can be made: findings that do not keep anybody from using it.
bool is_advice(const Finding& finding) {
  return finding.rule == Rule::kLongParameter ||
         (finding.rule == Rule::kBandwidth && finding.severity == Severity::kWarning);
}

void expect_as_planned(const Planned& planned, const OutputFile& file, std::vector<Actual>& files) {
  auto actual = tools::fgr::check_text(file.path, file.text);
  ASSERT_TRUE(actual) << file.path << ": " << actual.error().reason;
  actual->hosts = tools::fgr::hosts_of(planned, file.path, *actual);
  ASSERT_FALSE(actual->hosts.empty()) << file.path;
  actual->shared = actual->shared || actual->hosts.size() > 1;
  files.push_back(std::move(*actual));
}

/// Calls `read` with the plan of each random site, which has no findings, and expects no findings
/// in the files that `read` makes.
template <class Read>
void for_sites(Read&& read) {
  for (std::uint64_t seed = 1; seed <= kSites && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Site site = RandomSite(seed).make();
    const auto plan = make_plan(site);
    ASSERT_TRUE(plan) << sentence_of(plan.error().front());
    const Planned planned(*plan);
    std::vector<Finding> findings = check_site(site, {});
    for (Finding& finding : check_plan(planned)) findings.push_back(std::move(finding));
    std::vector<Actual> files;
    read(planned, files);
    for (Finding& finding : check_files(planned, files)) findings.push_back(std::move(finding));
    std::erase_if(findings, is_advice);
    EXPECT_EQ(description(findings), "");
  }
}

TEST(RoundTrip, FilesOfHostsAreAsPlanned) {
  for_sites([](const Planned& planned, std::vector<Actual>& files) {
    std::size_t number = 0;
    for (const PlannedHost& host : planned.hosts()) {  // every other one, to save time
      const std::string name = (host.clients() ? "clients-" : "") + host.config.host;
      if (++number % 2 == 0)
        expect_as_planned(planned, {"lnetctl/" + name + ".yaml", lnetctl_yaml(host.config)}, files);
      else
        expect_as_planned(planned, {"routes/" + name + ".routes", routes_text(host.config)}, files);
    }
  });
}

TEST(RoundTrip, ModuleParametersInBothFormsAreAsPlanned) {
  for_sites([](const Planned& planned, std::vector<Actual>& files) {
    const Plan& plan = planned.plan();
    for (const ListForm form : {ListForm::kShort, ListForm::kWrittenOut}) {
      for (std::size_t i = 0; i < plan.site.clients.size(); ++i) {
        const std::string name = plan.site.clients[i].name + ".conf";
        expect_as_planned(
            planned, {"modprobe/clients-" + name, client_options(plan, i, form).text()}, files);
        expect_as_planned(
            planned, {"modprobe/routers-" + name, router_options(plan, i, form).text()}, files);
      }
      for (std::size_t i = 0; i < plan.site.file_systems.size(); ++i)
        expect_as_planned(planned,
                          {"modprobe/servers-" + plan.site.file_systems[i].name + ".conf",
                           server_options(plan, i, form).text()},
                          files);
    }
  });
}

TEST(RoundTrip, ASiteIsReadFromItsText) {
  for (std::uint64_t seed = 1; seed <= kSites && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Site site = RandomSite(seed).make();
    const std::string text = SiteText(site).made();
    const auto read = tools::fgr::read_site(text);
    ASSERT_TRUE(read) << conf::lines_of(read.error()) << text;
    const auto plan = make_plan(*read);
    ASSERT_TRUE(plan) << sentence_of(plan.error().front());
    EXPECT_EQ(groups_text(*plan), groups_text(*make_plan(site)));
    EXPECT_EQ(inventory(*plan), inventory(*make_plan(site)));
  }
}

// The tests of random sites show something only if these sites have all features.
TEST(RoundTrip, RandomSitesHaveAllFeatures) {
  std::map<std::string, std::size_t> sites;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Site site = RandomSite(seed).make();
    const auto plan = make_plan(site);
    ASSERT_TRUE(plan) << "seed " << seed;
    const auto any = [&](const char* feature, bool has) { sites[feature] += has ? 1 : 0; };
    const auto of_systems = [&](auto&& has) { return std::ranges::any_of(site.file_systems, has); };
    const auto of_clients = [&](auto&& has) { return std::ranges::any_of(site.clients, has); };
    const auto of_routers = [&](auto&& has) {
      return of_clients(
          [&](const ClientSystem& each) { return std::ranges::any_of(each.routers, has); });
    };
    const auto outside = [](const ClientSystem& each) {
      const auto pattern =
          wire::AddressPattern::parse_ip(each.addresses.substr(0, each.addresses.find(' ')));
      return !is_numbered(each.net) && !pattern->matches(each.routers.front().client_nid);
    };
    any("several client systems", site.clients.size() > 1);
    any("several file systems", site.file_systems.size() > 1);
    any("shared switches", !site.switches.empty());
    any("net of addresses", of_clients([](const auto& each) { return !is_numbered(each.net); }));
    any("routers outside of the pattern", of_clients(outside));
    any("two addresses", of_routers([](const auto& each) { return each.addresses.size() > 1; }));
    any("shared routers",
        of_routers([](const auto& each) { return each.file_systems.size() > 1; }));
    any("weights", of_routers([](const auto& each) { return !each.weights.empty(); }));
    any("groups by switches",
        of_systems([](const auto& each) { return each.layout == FileSystem::Layout::kSwitches; }));
    any("no groups", of_systems([](const auto& each) { return each.flat(); }));
    any("no secondary routes", of_systems([](const auto& each) { return !each.secondary_routes; }));
    any("net among servers", of_systems([](const auto& e) { return e.among_servers.has_value(); }));
    any("routers per group", of_systems([](const auto& e) { return e.routers_per_group != 0; }));
    any("of one client system",
        of_systems([](const auto& each) { return !each.routers_per_group_of.empty(); }));
    any("shares", of_systems([](const auto& each) { return !each.shares.empty(); }));
    any("switches of one name", std::ranges::any_of(plan->groups, [](const Group& each) {
          return each.at_switch.find('/') != std::string::npos;
        }));
    any("spare routers", std::ranges::any_of(host_configs(*plan), &HostConfig::spare));
  }
  for (const auto& [feature, count] : sites) EXPECT_GE(count, 5U) << feature;
}

TEST(RoundTrip, FoldersWithAndWithoutTrust) {
  const TempFolder folder;
  const auto plan = make_plan(RandomSite(11).make());
  ASSERT_TRUE(plan);
  const Planned planned(*plan);
  const auto outputs = outputs_of(*plan, {});
  ASSERT_TRUE(tools::fgr::write_folder(folder / "out", outputs, false));
  for (const bool trust : {true, false}) {
    SCOPED_TRACE(trust);
    const auto existing = tools::fgr::read_existing(
        planned, {.paths = {folder / "out"}, .hosts = {}, .trust_identical = trust});
    EXPECT_TRUE(existing.mistakes.empty());
    EXPECT_EQ(existing.files.size() + existing.others, outputs.size());
    const auto trusted = std::ranges::count(existing.files, true, &Actual::as_planned);
    EXPECT_EQ(trusted > 0, trust);
    EXPECT_EQ(description(check_files(planned, existing.files)), "");
    const auto exports = tools::fgr::read_existing(
        planned,
        {.paths = {folder / "out"}, .hosts = {}, .trust_identical = trust, .only_lnetctl = true});
    EXPECT_EQ(exports.files.size(), planned.hosts().size());
    EXPECT_TRUE(tools::fgr::differences(planned, exports.files).empty());
  }
}

}  // namespace
}  // namespace ulnet::plan
